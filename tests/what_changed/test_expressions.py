"""Regular expressions of users are bounded before they are compiled."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.errors import InputError
from pagedrift.what_changed.expressions import (
    MAX_EXPANSION,
    MAX_EXPRESSION_CHARS,
    _expansion,
    check_expression,
    without,
)
from tests.resource_bounds import bounded

ATTACKS = {
    "one large count": "a{1000000000}",
    "a count without an end": "a{1000000000,}",
    "counts in counts": "((a{1000}){1000}){1000}",
    "groups that are not kept": "(?:(?:a{1000}){1000}){1000}",
    "many small counts": "(?:" * 100 + "a" + "){2}" * 100,
    "a bracket in a set": "((?:[)]a{1000}){1000}){1000}",
    "a bracket that opens a set": r"((?:[](]a{1000}){1000}){1000}",
    "a bracket that is escaped": r"((?:\)a{1000}){1000}){1000}",
    "a set in a set": "(?V1)((?:[[a])]a{1000}){1000}){1000}",
    "a class in a set": "((?:[[:alpha:])]a{1000}){1000}){1000}",
    "a bracket in a comment": r"((?:(?#\))a{1000}){1000}){1000}",
    "a count with spaces": "(?x)a{1 000 000 000}",
    "a count with a remark": "(?x)a{1#\n000000000}",
    "more groups than a parser can stand": "(" * 400 + ")" * 400,
    "lazy counts": "((a{1000}?){1000}?){1000}?",
    "possessive counts": "((a{1000}+){1000}+){1000}+",
    "a count of a set": "(?:[ab]{1000}|c){1000}{1000}",
    "more signs than anyone writes": "a|" * MAX_EXPRESSION_CHARS,
    "more digits than a number has": "a{" + "9" * 900 + "}",
}


@pytest.mark.parametrize("expression", ATTACKS.values(), ids=ATTACKS)
def test_an_expression_that_takes_all_memory_is_refused_before_it_is_compiled(expression: str) -> None:
    with bounded(megabytes=300, cpu_seconds=5), pytest.raises(InputError, match="; "):
        check_expression(expression)


FINE = {
    "dates": r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}",
    "addresses": r"(?:\d{1,3}\.){3}\d{1,3}",
    "many identifiers": "|".join([r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"] * 15),
    "a long stretch": ".{0,100000}",
    "a set with brackets": r"[(){}\]]{2,}",
    "braces that count nothing": r"\{\{ \w+ \}\}|{a}|{",
    "a named group": r"(?P<count>\d+) (?i:visitors)",
    "a property": r"\p{Lu}{3,}",
    "fuzzy": "(?:visitors){e<=2}",
    "set operations": r"(?V1)[\w--[0-9]]{1,20}",
    "spread over lines": "(?x) \\d+  # how many\n visitors",
}


@pytest.mark.parametrize("expression", FINE.values(), ids=FINE)
def test_an_expression_as_people_write_them_is_taken(expression: str) -> None:
    check_expression(expression)


SIGNS = st.lists(
    st.sampled_from(["a", "(", ")", "(?:", "[", "]", "^", "{3}", "{2,}", r"\)", r"\[", "|", "(?#", "\\"])
)


@given(SIGNS.map("".join))
def test_nothing_that_compiles_is_larger_than_it_was_counted(expression: str) -> None:
    try:
        tree = regex._regex_core
        info = tree.Info(0, char_type=type(expression))
        parsed = tree._parse_pattern(tree.Source(expression), info)
        regex.compile(expression)
    except (regex.error, tree._UnscopedFlagSet):
        return

    assert _least_width(parsed) <= _expansion(expression)[0]


def _least_width(part: object) -> int:
    """Write out all repetitions of what the library read."""
    below = [getattr(part, name, None) for name in ("subpattern", "yes_item", "no_item")]
    below += (
        [*getattr(part, "items", ()), *getattr(part, "branches", ())]
        if not type(part).__name__.startswith("Set")
        else []
    )
    inner = [_least_width(each) for each in below if each is not None]
    return max(1, getattr(part, "min_count", 1)) * (
        sum(inner) if inner else int(type(part).__name__ in ("Character", "SetUnion", "Any"))
    )


def test_a_count_at_the_limit_is_compiled_in_little_memory() -> None:
    with bounded(megabytes=300, cpu_seconds=5):
        assert without(f"a{{{MAX_EXPANSION}}}", "a" * MAX_EXPANSION + "b") == "b"
