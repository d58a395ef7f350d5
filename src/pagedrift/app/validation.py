"""Validation of watch options: selectors, expressions and steps are tried before they are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.options import HIDDEN, OPTIONS, OptionError
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def validate_options(options: Mapping[str, Any]) -> None:
    """Raise OptionError where a visit could not do what is asked for.

    >>> validate_options({"include": ["main", "li["]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.app.model.options.OptionError: "li[" is not a valid CSS selector (expected an identifier at ...
    """
    for name, value in options.items():
        try:
            if check := _OF_LINES.get(OPTIONS[name].about.format):
                for line in value:
                    check(line)
            elif name in ("headers", "cookies", "proxy"):
                _check_request(name, value)
        except InputError as error:
            raise OptionError(name, str(error), whole_sentence=True) from None


def _css(text: str) -> None:
    from pagedrift.what_changed.selection import check

    check(text)


def _expression(text: str) -> None:
    from pagedrift.what_changed.expressions import check_expression

    check_expression(text)


def _named(text: str) -> None:
    from pagedrift.selectors.expressions import parse_selectors

    parse_selectors(text)


def _step(text: str) -> None:
    from pagedrift.capture.steps import parse_step

    parse_step(text)


def _check_request(name: str, value: Any) -> None:
    """Try headers, cookies or a proxy; of those that stay as they are, nothing is known here."""
    from pagedrift.capture.request_options import RequestOptions, check_request_options

    if name == "proxy":
        check_request_options(RequestOptions(proxy=None if value == HIDDEN else value or None))
        return
    pairs = tuple((str(key), str(text)) for key, text in value if text != HIDDEN)
    check_request_options(RequestOptions(headers=pairs) if name == "headers" else RequestOptions(cookies=pairs))


def _condition(text: str) -> None:
    from pagedrift.app.model.conditions import parse_condition

    parse_condition(text)


_OF_LINES: Final[dict[str, Callable[[str], None]]] = {
    "css-selector": _css,
    "regular-expression": _expression,
    "named-selector": _named,
    "step": _step,
    "condition": _condition,
}
