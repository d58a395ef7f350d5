"""Which words of a page are its main content, without navigation, adverts and footers?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.names import IDEOGRAPH
from pagedrift.extras import need

if TYPE_CHECKING:
    from pagedrift.page import PageVersion

MAX_DEPTH: Final = (
    500  # elements in elements; browsers stop at 512, and resiliparse takes a time that grows as the square
)

_IDEOGRAPH = re.compile(IDEOGRAPH)


def main_words(page: PageVersion) -> tuple[str, ...]:
    """Read the words of the main content, as resiliparse finds it.

    Where it finds none, and on pages nested as only attacks are, all visible words count.

    >>> from pagedrift import PageVersion
    >>> main_words(PageVersion("", b"<nav><a href=/>Home</a></nav><main><p>A permit costs $120.</p></main>"))
    ('A', 'permit', 'costs', '$120.')
    """
    extract = need("content", "resiliparse.extract.html2text").extract_plain_text
    if page.tree.depth() > MAX_DEPTH:
        return page.words
    text = extract(page.source, main_content=True, preserve_formatting=False, alt_texts=False)
    return tuple(_IDEOGRAPH.sub(r" \g<0> ", text).split()) or page.words
