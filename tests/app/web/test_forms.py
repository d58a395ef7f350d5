"""Form fields for options, and options read back from them."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from pagedrift.app.model.options import (
    DEFAULTS,
    MAX_INTERVAL_SECONDS,
    MIN_INTERVAL_SECONDS,
    SECRET,
    checked_options,
    hidden,
)
from pagedrift.app.web import forms

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "every": st.integers(MIN_INTERVAL_SECONDS, 1_000_000).map(float),
        "adaptive": st.booleans(),
        "browser": st.booleans(),
        "steps": st.lists(st.sampled_from(["click #go", "wait 2", "fill #user = anna"]), max_size=3),
        "ignore_text": st.lists(st.sampled_from([r"\d+", "a|b", "updated .* ago"]), max_size=3),
        "include": st.lists(st.sampled_from(["main", "#news li", "p > a:first-child"]), max_size=3),
        "notify_on": st.sampled_from(["important", "content", "anything", "amount", "nothing"]),
        "min_change": st.integers(0, 100).map(lambda number: number / 100),
        "alert_after_failures": st.integers(0, 99),
        "keep": st.sampled_from(["all", "changed", "matters"]),
        "keep_days": st.integers(0, 3_000).map(float),
        "headers": st.lists(
            st.tuples(st.sampled_from(["X-Key", "Accept"]), st.sampled_from(["a", "b c"])), max_size=2
        ),
    },
)


def sent(values: dict[str, Any]) -> dict[str, str]:
    """Give what a browser sends of a form that is filled in so."""
    form: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, tuple):
            form[name], form[f"{name}_unit"] = value
        elif isinstance(value, bool):
            form |= {name: "on"} if value else {}
        else:
            form[name] = value
    return form


@given(OPTIONS)
@example({"every": 876231.0})  # 14603.85 minutes
def test_what_a_form_shows_is_what_it_says_when_it_is_sent(given: dict[str, Any]) -> None:
    options = checked_options(given)
    said, errors = forms.read(sent(forms.shown(options)))
    assert errors == {}
    assert said == {**DEFAULTS, **options} | hidden({name: options[name] for name in SECRET & options.keys()})


@given(OPTIONS, OPTIONS)
def test_a_watch_keeps_only_what_its_group_does_not_say(group: dict[str, Any], own: dict[str, Any]) -> None:
    base = checked_options({name: value for name, value in group.items() if name not in SECRET})
    wanted = {**DEFAULTS, **base, **checked_options(own)}
    kept = forms.own(wanted, base)
    assert {**DEFAULTS, **base, **kept} == wanted
    assert all(kept[name] != {**DEFAULTS, **base}[name] for name in kept.keys() - SECRET)


@given(st.dictionaries(st.sampled_from([*forms.FIELDS, "every_unit"]), st.text(max_size=40)))
def test_whatever_is_sent_gives_options_or_errors(form: dict[str, str]) -> None:
    said, errors = forms.read(form)
    assert said.keys() | errors.keys() == forms.FIELDS.keys()
    assert checked_options(said) == said
    assert all("; " in error for error in errors.values()), "each error ends with the next step"
    forms.refilled(form)


def test_every_option_has_a_field() -> None:
    assert forms.FIELDS.keys() == DEFAULTS.keys()


def test_intervals_are_said_in_the_unit_that_fits() -> None:
    assert forms.shown({"every": 5_400.0})["every"] == ("1.5", "hours")
    assert forms.shown({"every": 45.0})["every"] == ("45", "seconds")
    _, errors = forms.read({"every": str(MAX_INTERVAL_SECONDS + 1), "every_unit": "seconds"})
    assert "choose between 5 seconds and 366 days" in errors["every"]
