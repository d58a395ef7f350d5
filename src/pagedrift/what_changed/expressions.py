"""Which regular expressions of users are safe to compile, and what do they remove from a text?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from pagedrift.errors import InputError

MAX_EXPRESSION_CHARS: Final = 1_000
MAX_EXPANSION: Final = (
    10_000  # parts, once every repetition is written out: compiling writes them out, 200 bytes each
)
MAX_NESTED_GROUPS: Final = 100
MATCH_SECONDS: Final = 1.0  # for one expression on one text
_MAX_SHOWN_CHARS: Final = 60

# A set ends at the first bracket that is not its first sign and not escaped. Only least counts are written out.
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\{(\d*)(?:,\d*)?\}|[()]|.", re.DOTALL)
# Where brackets and spaces mean something else: sets in sets, comments, and the flags for them.
_READ_OTHERWISE: Final = re.compile(r"\[[^\]]*\[|\(\?#|\(\?[a-zA-Z0-9-]*V1")
_SPACED_OUT: Final = re.compile(r"\(\?[a-zA-Z0-9-]*x")


def check_expression(expression: str) -> None:
    """Refuse what is not a regular expression, or would take too much memory; it is counted before it is compiled.

    >>> check_expression(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}")
    >>> check_expression("a{1000000000}")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.errors.InputError: the expression 'a{1000000000}' repeats too much: more than 10,000 parts; lower ...
    """
    _compiled(expression)


def without(expression: str, text: str) -> str:
    r"""Take out of a text what an expression matches.

    >>> without(r"\d+ visitors", "Open, 12 visitors")
    'Open, '
    """
    try:
        return str(_compiled(expression).sub("", text, timeout=MATCH_SECONDS))
    except TimeoutError:
        raise InputError(
            f"the expression {_shown(expression)} takes too long; write it without repetitions inside repetitions"
        ) from None


@lru_cache(maxsize=64)
def _compiled(expression: str) -> Any:
    _check_bounds(expression)
    import regex  # like re, and it can be stopped

    try:
        return regex.compile(expression)
    except (regex.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"invalid regular expression {_shown(expression)} ({error}); correct it and try again"
        ) from None


def _check_bounds(expression: str) -> None:
    if len(expression) > MAX_EXPRESSION_CHARS:
        raise InputError(
            f"the expression {_shown(expression)} has more than {MAX_EXPRESSION_CHARS:,} characters; "
            "write several shorter ones"
        )
    if _SPACED_OUT.search(expression) and "{" in expression:
        raise InputError(
            f"the expression {_shown(expression)} has {{counts}} and the flag x; write it without (?x)"
        )
    parts, depth = _expansion(expression)
    if depth > MAX_NESTED_GROUPS:
        raise InputError(
            f"the expression {_shown(expression)} has more than {MAX_NESTED_GROUPS} groups inside each other; "
            "write it with fewer"
        )
    if parts > MAX_EXPANSION:
        raise InputError(
            f"the expression {_shown(expression)} repeats too much: more than {MAX_EXPANSION:,} parts; "
            "lower the numbers in { }"
        )


def _expansion(expression: str) -> tuple[int, int]:
    """Count the parts once repetitions are written out, and how deep groups stand inside each other.

    >>> _expansion("((a{10}b){10}c){10}")
    (1110, 2)
    """
    if _READ_OTHERWISE.search(expression):
        return _largest_expansion(expression), expression.count("(")
    sums, last, deepest = [0], 0, 0  # of the groups that are open; `last` is what a count repeats
    for token in _TOKEN.finditer(expression):
        character = token[0]
        if token[1] is not None:
            more = last * (_count(token[1]) - 1)
            last += more
            sums[-1] += more
        elif character == "(":
            sums.append(0)
            deepest = max(deepest, len(sums) - 1)
        else:
            last = sums.pop() if character == ")" and len(sums) > 1 else 1
            sums[-1] += last
    return sum(sums), deepest


def _largest_expansion(expression: str) -> int:
    """Count as if each repetition stood around all others: if groups cannot be distinguished from characters."""
    parts = len(expression)
    for count in re.findall(r"\{(\d*)(?:,\d*)?\}", expression):
        parts *= _count(count)
    return parts


def _count(digits: str) -> int:
    return min(int(digits[:12] or 1), MAX_EXPANSION + 1) or 1


def _shown(expression: str) -> str:
    return repr(expression if len(expression) <= _MAX_SHOWN_CHARS else expression[:_MAX_SHOWN_CHARS] + "…")
