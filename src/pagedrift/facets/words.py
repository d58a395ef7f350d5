"""Which words does a reader see on a page?"""

from __future__ import annotations

import html
import re

from pagedrift._kernels import scan

# One word each: ideographs with their marks, kana, and the planes that hold only ideographs.
_CJK = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_ANY_CJK = re.compile(f"[{_CJK}]")
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")


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
    if "&" in text:
        # The scanner puts a NUL where a character reference must not be read across a tag or in raw text.
        text = html.unescape(text).replace("\0", "")
    if text.isascii() or not _ANY_CJK.search(text):
        return tuple(text.split())
    return tuple(_WORD.findall(text))
