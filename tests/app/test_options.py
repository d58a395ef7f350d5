"""WatchOptions are declared once; command line, form, API, checks and documents follow."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import click
import pytest

from pagedrift.app.model.options import (
    DEFAULTS,
    OPTIONS,
    OptionError,
    SectionName,
    WatchOptions,
    checked_options,
    resolve,
)
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import visit_budget
from pagedrift.app.store import effective_options, watches
from pagedrift.app.store.tables import WatchRow
from pagedrift.app.validation import validate_options
from pagedrift.app.web import forms
from pagedrift.cli.watch import add, edit, group
from pagedrift.errors import InputError, answer_to

if TYPE_CHECKING:
    from pagedrift.app.store.store import Store


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_declared_with_what_people_need(name: str) -> None:
    option = OPTIONS[name]
    assert option.about.label
    assert option.about.help.endswith(".")
    assert option.about.section in get_args(SectionName)
    assert tuple(option.about.choices) == option.values
    assert (option.least is None) == (option.widget not in ("number", "duration"))
    assert checked_options({name: option.default}) == {name: option.default}


def test_every_option_has_a_field_and_a_flag() -> None:
    shown = [field.name for section in forms.SECTIONS for field in (*section.fields, *section.more)]
    assert sorted(shown) == sorted(OPTIONS)
    assert {section.id for section in forms.SECTIONS} == set(get_args(SectionName))
    for command in (add, edit, group):
        given = {param.name for param in command.get_params(click.Context(command))}
        assert given >= OPTIONS.keys()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"every": "soon"}, "every is not a number; enter one such as 3600"),
        ({"every": 2}, "every is 2 seconds; choose between 5 seconds and 366 days"),
        ({"max_pages": 10**400}, "choose between 0 and 31,622,400"),
        ({"every": float("nan")}, "choose between 5 seconds and 366 days"),
        ({"min_change": 2}, "min_change is 2; choose between 0 and 1"),
        ({"max_pages": 2.5}, "max_pages is 2.5; choose a whole number"),
        ({"max_pages": -1}, "max_pages is -1; choose between 0 and 31,622,400"),
        ({"browser": "yes"}, "browser must be true or false; use one of them"),
        ({"proxy": "a\0b"}, "proxy must be a text of at most 10,000 characters; shorten it"),
        ({"proxy": 7}, "proxy must be a text of at most 10,000 characters; shorten it"),
        ({"include": "main"}, "include must be a list of at most 100 entries; shorten it"),
        ({"include": ["a"] * 101}, "include must be a list of at most 100 entries; shorten it"),
        ({"include": [7]}, "include must be a text of at most 10,000 characters; shorten it"),
        ({"headers": ["X-Key"]}, "headers must be pairs of a name and a value; write them as name: value"),
        ({"headers": {"X-Key": "a\nb"}}, "headers must not contain line breaks; write each on one line"),
        (
            {"notify_on": "x" * 500},
            f"notify_on is {'x' * 80!r}; choose one of: important, content, anything, amount, nothing",
        ),
        ({"notify": ["syslog://"]}, "syslog:// only reaches this computer; choose email, chat or a webhook"),
    ],
)
def test_what_is_wrong_is_said_with_the_option_and_the_next_step(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError) as caught:
        checked_options(given)
    assert said in str(caught.value)
    assert caught.value.option in given
    assert (answer_to(caught.value).status, answer_to(caught.value).exit) == (400, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("include", ("li[",)), ("exclude", ("li[",)), ("ignore_text", ("(",)), ("selectors", ("price",)),
        ("steps", ("dance",)), ("headers", (("a b", "c"),)), ("cookies", (("a;b", "c"),)), ("proxy", "ftp://a"),
    ],
)  # fmt: skip
def test_what_a_visit_could_not_do_is_said_with_the_option(name: str, value: object) -> None:
    with pytest.raises(OptionError) as caught:
        validate_options({name: value})
    assert caught.value.option == name
    assert ";" in str(caught.value)


def test_a_name_that_is_none_is_told_with_those_that_are() -> None:
    with pytest.raises(InputError, match="unknown option 'evry'; choose from: adaptive, "):
        checked_options({"evry": 60})


def test_a_form_names_an_option_by_its_label() -> None:
    _, errors = forms.read({"min_change": "2", "every": "soon", "headers": "X-Key"})
    assert errors["min_change"] == "“Minimum size of a change” is 2; choose between 0 and 1"
    assert errors["every"] == "“Check every” is not a number; enter one such as 6"
    assert errors["headers"] == "“Headers” needs a name and a value; write it as name: value"


def test_options_go_to_another_process_as_they_are() -> None:
    options = WatchOptions(every=60, headers=(("a", "b"),))
    assert pickle.loads(pickle.dumps(options)) == options


def test_the_watch_comes_first_then_its_site_then_its_group() -> None:
    found = resolve(
        {"notify_on": "anything"},
        site={"notify_on": "nothing", "every": 60},
        group={"every": 90, "keep": "changed", "notify_on": "amount"},
    )
    assert (found.notify_on, found.every, found.keep) == ("anything", 60.0, "changed")
    assert found.max_pages == DEFAULTS["max_pages"]


def test_what_lets_us_in_goes_to_the_host_of_the_site_only(any_store: Store) -> None:
    personal = {"headers": [("X-Key", "1")], "cookies": [("a", "1")], "steps": ["wait 1"], "secrets": [("p", "1")]}
    site = watches.add(any_store, Watch("https://a.example/map", kind="sitemap", options={**personal, "every": 60}))
    pages = [
        Watch(url, options={"notify_on": "anything"}) for url in ("https://a.example/1", "https://b.example/1")
    ]
    near, far = watches.add_all(any_store, pages, parent=site.id)
    with any_store.read() as session:
        together = effective_options.Inheritance(session)
        for watch, given in ((near, True), (far, False)):
            row = session.get_one(WatchRow, watch.id)
            options = effective_options.options_of(session, row)
            assert together.options_of(row) == options
            assert (options.every, options.notify_on) == (60.0, "anything")
            assert [bool(getattr(options, name)) for name in personal] == [given] * 4
    assert visit_budget.find(any_store)


def test_one_option_is_read_though_another_is_broken(any_store: Store) -> None:
    watch = watches.add(any_store, Watch("https://a.example/", options={"notify": ["https://hooks.example/"]}))
    with any_store.begin() as session:
        row = session.get_one(WatchRow, watch.id)
        row.options = {**row.options, "every": 0}
    with any_store.read() as session:
        row = session.get_one(WatchRow, watch.id)
        assert effective_options.options_of(session, row, names=("notify",)).notify == ("https://hooks.example/",)
        with pytest.raises(OptionError):
            effective_options.options_of(session, row)


def test_help_is_shown_without_loading_pydantic() -> None:
    code = (
        "import json, sys\nfrom pagedrift.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print(json.dumps('pydantic' in sys.modules))"
    )
    for arguments, loads in ((["--help"], False), (["watch", "--help"], False), (["watch", "add", "--help"], True)):
        shown = subprocess.check_output([sys.executable, "-c", code, *arguments], text=True)
        assert json.loads(shown.splitlines()[-1]) is loads, arguments
