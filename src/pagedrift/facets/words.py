"""The words that a reader sees on a page."""

from __future__ import annotations

import re

from pagedrift._kernels import scan
from pagedrift._kernels.names import IDEOGRAPH

_IDEOGRAPH = re.compile(IDEOGRAPH)
_LARGE_NUMBER = re.compile(r"&#(?:[xX]0*[1-9a-fA-F][0-9a-fA-F]{3}|0*[1-9][0-9]{4})")


def read_words(data: bytes) -> tuple[str, ...]:
    """Read the visible words of a page in UTF-8, in the order of the source.

    Words are what white space, ideographs and the edges of blocks keep apart; <b>foot</b>ball is one word. Not
    visible are scripts, styles, templates, titles, comments, the content of noscript, noframes, iframe and
    datalist, and elements with the attribute `hidden` or a style that says display: none or visibility: hidden.

    >>> read_words("<p>Fish&nbsp;&amp; <b>chip</b>s<p hidden>no<p>日本".encode())
    ('Fish', '&', 'chips', '日', '本')
    """
    _, _, visible = scan(data, -1, True)
    text = visible.decode("utf-8", "replace")
    if b"&" in visible:
        text = _resolve(text, has_nul=b"\0" in visible)
    return tuple(text.split())


def _resolve(text: str, *, has_nul: bool) -> str:
    """Replace character references by what they stand for."""
    from turbohtml import unescape  # 50 ms, for pages that have any

    resolved = unescape(text)
    if has_nul:  # the scanner's mark where no reference may be read: across a tag, and in raw text
        resolved = resolved.replace("\0", "")
    # Ideographs in the text stand apart already; only large numbers can name more.
    return _IDEOGRAPH.sub(r" \g<0> ", resolved) if _LARGE_NUMBER.search(text) else resolved
