"""Which part of a style sheet can do nothing but style?

Functions and at-rules are kept by allow-list; the others lose their name, so that browsers skip them. No address is
left but data: and #fragment, whatever it hides behind: url(), @import, image-set(), escapes, comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME: Final = r"(?:[A-Za-z0-9_-]|[^\x00-\x7f]|\\[0-9A-Fa-f]{1,6}[ \t\n\r\f]?|\\[^\n\r\f0-9A-Fa-f])++"
_TOKEN = re.compile(
    rf"""(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n\r\f]|\\.)*+"|'(?:[^'\\\n\r\f]|\\.)*+')
    |(?P<at>@{_NAME})
    |(?P<name>{_NAME})(?P<open>\(?)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_ADDRESS = re.compile(r"""\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|([^)"'\\\s]*))\s*\)""")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})[ \t\n\r\f]?|(.))", re.DOTALL)
_TAG_LIKE = re.compile(r"<(?=[^=\s\d.])|<\Z|\x00")
_GONE: Final = "-gone"
_APART: Final = "  "  # what stood apart must not grow together; an escape before it swallows one space

RULES: Final = frozenset(
    "media supports font-face keyframes -webkit-keyframes -moz-keyframes layer container page property "
    "counter-style starting-style -gone".split()
)
FUNCTIONS: Final = frozenset(
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark calc min max clamp round mod rem abs "
    "sign sin cos tan var env attr translate translatex translatey translatez translate3d rotate rotatex rotatey "
    "rotatez rotate3d scale scalex scaley scalez scale3d skew skewx skewy matrix matrix3d perspective "
    "linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient "
    "repeating-conic-gradient -webkit-linear-gradient -moz-linear-gradient -o-linear-gradient -ms-linear-gradient "
    "-webkit-radial-gradient -webkit-gradient from to color-stop cubic-bezier steps linear minmax repeat "
    "fit-content blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia alpha "
    "inset circle ellipse polygon path rect counter counters format local tech not is where has matches nth-child "
    "nth-last-child nth-of-type nth-last-of-type nth-col lang dir host host-context slotted -webkit-any -moz-any "
    "and or only style selector -gone".split()
)


def clean(css: str, address: Callable[[str], str | None]) -> str:
    r"""Keep what only styles; `address` says what a url() becomes, None for nothing.

    >>> clean("@import 'x.css'; p { color: red; background: \\75rl(//a.example/x.png) }", lambda url: None)
    "@-gone 'x.css'; p { color: red; background: none }"
    """
    css = css.replace("<!--", " ").replace("-->", " ")
    kept, at = [], 0
    while found := _TOKEN.match(css, at):
        at = found.end()
        if found["open"] and _plain(found["name"]) == "url":
            inside = _ADDRESS.match(css, at)
            at = inside.end() if inside else _closed(css, at)
            reference = address(inside[1] or inside[2] or inside[3] or "") if inside else None
            kept.append(f'url("{_quoted(reference)}")' if reference else "none")
        else:
            kept.append(_token(found))
    return _TAG_LIKE.sub(_APART, "".join(kept))


def _token(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "comment":
            return _APART
        case "string":
            return found["string"].replace("<", r"\3c ").replace("\x00", "")
        case "at":
            return found["at"] if _plain(found["at"][1:]) in RULES else f"@{_GONE}"
        case "other":
            # Quotes here have no partner; what follows them must not become a string.
            return _APART if found["other"] in "\"'\\@" else found["other"]
    if found["open"] and _plain(found["name"]) not in FUNCTIONS:
        return f"{_GONE}("
    return found[0]


def _plain(name: str) -> str:
    """Read a name without escapes, in small letters."""
    return _ESCAPE.sub(lambda found: found[2] or _sign(int(found[1], 16)), name).lower()


def _sign(number: int) -> str:
    return chr(number) if 0 < number < 0x11_0000 else "\ufffd"  # noqa: PLR2004


def _closed(css: str, at: int) -> int:
    end = css.find(")", at)
    return len(css) if end < 0 else end + 1


def _quoted(reference: str) -> str:
    return re.sub(r"""["'\\<>\s\x00-\x1f]""", lambda found: f"%{ord(found[0]):02X}", reference)
