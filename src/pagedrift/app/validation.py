"""Validation of watch options: selectors, expressions and steps are tried before they are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.watch import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def try_options(options: Mapping[str, Any]) -> None:
    """Raise InputError where a visit could not do what is asked for.

    >>> try_options({"only": ["main", "li["]})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.errors.InputError: "li[" is no CSS selector (expected an identifier at position 3); write one ...
    """
    for name, value in options.items():
        if name in _EACH:
            for each in value:
                _EACH[name](each)
    _ask(options)


def _css(text: str) -> None:
    from pagedrift.what_changed.selection import check

    check(text)


def _expression(text: str) -> None:
    from pagedrift.what_changed.expressions import check_expression

    check_expression(text)


def _named(text: str) -> None:
    from pagedrift.redesigned.selectors import parse_selectors

    parse_selectors(text)


def _step(text: str) -> None:
    from pagedrift.capture.steps import parse_step

    parse_step(text)


def _ask(options: Mapping[str, Any]) -> None:
    """Try headers, cookies and the proxy; of those that stay as they are, nothing is known here."""
    from pagedrift.capture.request_options import Asking, check_asking

    headers, cookies = (
        tuple((str(key), str(value)) for key, value in options.get(name, ()) if value != HIDDEN)
        for name in ("headers", "cookies")
    )
    proxy = options.get("proxy") or None
    check_asking(Asking(headers, cookies, None if proxy == HIDDEN else proxy))


_EACH: Final[dict[str, Callable[[str], None]]] = {
    "only": _css,
    "without": _css,
    "ignore_text": _expression,
    "selectors": _named,
    "steps": _step,
}
