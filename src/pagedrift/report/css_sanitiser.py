"""The CSS sanitiser: keeps the part of a style sheet that can only style.

Functions and at-rules are kept by allow-list; the others lose their name, so that browsers skip them. No address is
left but data: and #fragment, whatever it hides behind: url(), @import, image-set(), escapes, comments. What is left
out leaves an empty comment where its neighbours would grow together, as in `src:url(a)format("woff2")`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME: Final = r"(?:[A-Za-z0-9_-]|[^\x00-\x7f]|\\[0-9A-Fa-f]{1,6}[ \t\n\r\f]?|\\[^\n\r\f0-9A-Fa-f])++"
_TOKEN = re.compile(
    rf"""(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<marker><!--|-->)
    |(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')
    |(?P<at>@{_NAME})
    |(?P<name>{_NAME})(?P<open>\(?)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_ADDRESS = re.compile(r"""\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|([^)"'\\\s]*))\s*\)""")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\n\r\f]?|(.))", re.DOTALL)
_TAG_SIGN = re.compile(r"(\\[^<])|\\?<", re.DOTALL)
_NEWLINE = re.compile(r"\r\n?|\f")
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_GONE: Final = "-gone"
_APART: Final = "/**/"  # white space would join selectors, and an escape before it swallows it
_ENDS_VALUE: Final = frozenset(" \t\n;,)}!")  # what may follow a word without becoming part of it

RULES: Final = frozenset(
    "media supports font-face keyframes -webkit-keyframes -moz-keyframes layer container page property "
    "counter-style starting-style -gone".split()
)
FUNCTIONS: Final = frozenset(
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark calc min max clamp round mod rem abs "
    "sign sin cos tan asin acos atan atan2 pow sqrt hypot log exp var env attr translate translatex translatey "
    "translatez translate3d rotate rotatex rotatey rotatez rotate3d scale scalex scaley scalez scale3d skew skewx "
    "skewy matrix matrix3d perspective linear-gradient radial-gradient conic-gradient repeating-linear-gradient "
    "repeating-radial-gradient repeating-conic-gradient -webkit-linear-gradient -moz-linear-gradient -o-linear- "
    "gradient -ms-linear-gradient -webkit-radial-gradient -webkit-repeating-linear-gradient -webkit-gradient from "
    "to color-stop cubic-bezier steps linear minmax repeat fit-content blur brightness contrast drop-shadow "
    "grayscale hue-rotate invert opacity saturate sepia alpha inset circle ellipse polygon path rect counter "
    "counters format local tech not is where has matches nth-child nth-last-child nth-of-type nth-last-of-type "
    "nth-col lang dir host host-context slotted -webkit-any -moz-any and or only style selector -gone".split()
)


def clean(css: str, address: Callable[[str], str | None]) -> str:
    r"""Keep what only styles; `address` says what a url() becomes, None for nothing.

    >>> clean("@import 'x.css'; p { color: red; background: \\75rl(//a.example/x.png) }", lambda url: None)
    "@-gone 'x.css'; p { color: red; background: none }"
    """
    css = _UNREADABLE.sub("\ufffd", _NEWLINE.sub("\n", css))  # CSS Syntax, section 3.3
    kept, at = [], 0
    while found := _TOKEN.match(css, at):
        at = found.end()
        if found["open"] and _plain(found["name"]) == "url":
            inside = _ADDRESS.match(css, at)
            at = inside.end() if inside else _closed(css, at)
            reference = address(inside[1] or inside[2] or inside[3] or "") if inside else None
            kept.append(f'url("{_quoted(reference)}")' if reference else "none" + _gap(css, at))
        else:
            kept.append(_token(found))
    return "".join(kept)


def _gap(css: str, at: int) -> str:
    """Give what must stand behind a word that was put in, so that what follows stays apart from it."""
    return "" if at >= len(css) or css[at] in _ENDS_VALUE else _APART


def _token(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "comment" | "marker":  # <!-- hides styles from the oldest browsers; others pass over it
            return _APART
        case "string":
            return _without_tags(found["string"])
        case "at":
            return found["at"] if _plain(found["at"][1:]) in RULES else f"@{_GONE}"
        case "other":
            return _other(found)
    if found["open"] and _plain(found["name"]) not in FUNCTIONS:
        return f"{_GONE}("
    return _without_tags(found[0])


def _without_tags(text: str) -> str:
    """Write the sign that opens a tag as an escape, in a string or a name."""
    return _TAG_SIGN.sub(lambda found: found[1] or r"\3c ", text) if "<" in text else text


def _other(found: re.Match[str]) -> str:
    character, after = found["other"], found.string[found.end() : found.end() + 1]
    if character == "<":  # as in (400px<width); right before a name it would open a tag
        return character if after in ("=", " ", "\t", "\n") else "< "
    # Quotes here have no partner; what follows them must not become a string.
    return _APART if character in "\"'\\@" else character


def _plain(name: str) -> str:
    """Read a name without escapes, in small letters."""
    return _ESCAPE.sub(lambda found: found[2] or _sign(int(found[1], 16)), name).lower()


def _sign(number: int) -> str:
    return chr(number) if 0 < number < 0x11_0000 else "\ufffd"  # noqa: PLR2004


def _closed(css: str, at: int) -> int:
    end = css.find(")", at)
    return len(css) if end < 0 else end + 1


def _quoted(reference: str) -> str:
    return re.sub(r"""["'\\<>\s\x00-\x1f]""", lambda found: quote(found[0]), reference)
