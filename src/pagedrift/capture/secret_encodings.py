"""Encodings of a secret in a page: verbatim, escaped or in base64, to find and remove it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import defaultdict
from functools import cache, lru_cache
from html.entities import html5
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_BASE64: Final = b"[A-Za-z0-9+/_-]"
_MIN_CORE_CHARS: Final = 4  # characters of base64 that are looked for: fewer stand anywhere
_ALIASES: Final = {"+": "+-", "/": "/_"}  # of base64 in addresses
_CONTROLS: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v"}


@lru_cache(maxsize=16)  # a visit asks for each of its secrets often
def disguises(secret: str) -> tuple[re.Pattern[bytes], ...]:
    r"""Give patterns that find a secret in bytes, whichever of its letters are escaped, and in whichever way.

    >>> all(any(each.search(text) for each in disguises("s3cret")) for text in
    ...     (b"s3cret", b"%733cret", b"&#115;3c&#x72;et", rb"s3c\u0072et", b64encode(b"anna:s3cret!")))
    True
    """
    spelt = b"".join(map(_sign, secret))
    return (re.compile(spelt), *map(re.compile, dict.fromkeys(_packed(secret))))


def _sign(character: str) -> bytes:
    """Write all ways to write one sign: plain, as addresses, HTML and scripts escape it."""
    return b"(?:" + b"|".join(dict.fromkeys(_ways(character))) + b")"


def _ways(character: str) -> Iterator[bytes]:
    number = ord(character)
    for encoding in ("utf-8", "latin-1"):
        try:
            octets = character.encode(encoding, "surrogatepass" if encoding == "utf-8" else "strict")
        except UnicodeEncodeError:
            continue
        yield re.escape(octets)
        yield b"".join(b"%%(?:25)*%s" % _hexadecimal(octet, 2) for octet in octets)
    if character == " ":
        yield rb"\+"
    yield b"&(?:amp;)*#0*%d(?:;|(?![0-9]))" % number
    yield b"&(?:amp;)*#[xX]0*%s(?:;|(?![0-9A-Fa-f]))" % _hexadecimal(number)
    yield from (b"&(?:amp;)*" + re.escape(name.encode()) for name in _names()[character])
    yield from _in_scripts(character, number)


def _in_scripts(character: str, number: int) -> Iterator[bytes]:
    r"""Write a sign as scripts do, also where the backslash itself is escaped: \x2f, \u002f, \u{2f}, \/."""
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    yield b"".join(rb"\\+u%s" % _hexadecimal(unit, 4) for unit in pairs)
    yield rb"\\+u\{0*%s\}" % _hexadecimal(number)
    if number < 0x100:  # noqa: PLR2004 - two digits
        yield rb"\\+x%s" % _hexadecimal(number, 2)
    if character in _CONTROLS:
        yield rb"\\+" + _CONTROLS[character].encode()
    elif not character.isalnum():
        yield rb"\\+" + re.escape(character.encode("utf-8", "replace"))


def _hexadecimal(number: int, digits: int = 1) -> bytes:
    written = f"{number:0{digits}x}"
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in written).encode()


@cache
def _names() -> dict[str, list[str]]:
    """Give the names that HTML has for each sign, the longest first, so that none leaves a rest."""
    names: dict[str, list[str]] = defaultdict(list)
    for name in sorted(html5, key=len, reverse=True):
        names[html5[name]].append(name)
    return names


def _packed(secret: str) -> Iterator[bytes]:
    """Write a secret as base64 has it: three ways, by where among others it stands.

    Signs at its ends share bits with what is next to it; they are found, and go, too.
    """
    for octets in dict.fromkeys((secret.encode("utf-8", "replace"), secret.encode("latin-1", "replace"))):
        for before in range(3):
            whole = b64encode(bytes(before) + octets).decode().rstrip("=")
            start, shared = (before * 8 + 5) // 6, (before + len(octets)) * 8 % 6 != 0
            core = whole[start : len(whole) - shared]
            if len(core) >= _MIN_CORE_CHARS:
                spelt = b"".join(
                    b"(?:" + b"|".join(_sign(each) for each in _ALIASES.get(character, character)) + b")"
                    for character in core
                )
                yield (_BASE64 if before else b"") + spelt + (_BASE64 + b"?=*" if shared else b"")
