"""PDF documents as pages: their text, paragraph by paragraph, with the number of its page.

Only what is written counts: a new date of creation, another order of objects or another font does not count.
"""

from __future__ import annotations

import json
import re
import sys
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SECONDS: Final = 60.0  # that one document may take, waiting included
MAX_PDF_BYTES: Final = 100_000_000
_KEPT: Final = 4  # documents whose text is remembered
_known: dict[bytes, dict[str, Any]] = {}  # by the digest of their bytes
_SHORT_LINE: Final = 0.7  # of the longest line of a page: a shorter line ends its paragraph
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_HYPHEN: Final = "\ufffe"  # how PDFium marks a word that is divided at the end of a line
_STARTS_ANEW: Final = re.compile(r"[•‣◦▪–—*-]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|[A-Z\d][\d.]*\s+[A-Z]")


def pdf_html(body: bytes) -> str:
    """Write the text of a PDF as HTML; raise InputError or LimitError where it cannot be read."""
    found = read_pdf(body)
    sections = "".join(
        f'<section id="page-{number}">{"".join(f"<p>{escape(each, quote=False)}</p>" for each in paragraphs(text))}'
        "</section>\n"
        for number, text in enumerate(found["pages"], 1)
    )
    return f"<title>{escape(found['title'], quote=False)}</title><main>{sections}</main>"


def read_pdf(body: bytes) -> dict[str, Any]:
    """Read a PDF in a process of its own, for its parser meets whatever a server sends; the last few are known."""
    digest = sha256(body).digest()
    if digest not in _known:
        _known[digest] = _read(body)
        while len(_known) > _KEPT:
            del _known[next(iter(_known))]
    return _known[digest]


def _read(body: bytes) -> dict[str, Any]:
    if len(body) > MAX_PDF_BYTES:
        raise LimitError(f"the PDF has more than {MAX_PDF_BYTES:,} bytes; split it, or leave it out")
    import subprocess  # 10 ms, for those who have a PDF

    command = [sys.executable, "-m", "pagedrift.documents.pdf_reader"]
    try:
        ran = subprocess.run(command, input=body, capture_output=True, check=False, timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        raise LimitError(
            f"the PDF was not read within {MAX_SECONDS:g} seconds; split it, or leave it out"
        ) from None
    if ran.returncode or not ran.stdout:
        raise LimitError("reading the PDF took too much time or memory; split it, or leave it out")
    found: dict[str, Any] = json.loads(ran.stdout)
    if "problem" in found:
        raise InputError(f"the PDF cannot be read: {found['problem']}; open it in a viewer and save it again")
    return found


def paragraphs(text: str) -> Iterator[str]:
    r"""Join the lines of a page to paragraphs: where a line breaks says nothing.

    >>> page = "Fees of the town in the year\r\n2026 are due in May.\r\nA permit for a fence costs $40\r\na year."
    >>> list(paragraphs(page))
    ['Fees of the town in the year 2026 are due in May.', 'A permit for a fence costs $40 a year.']
    """
    lines = [line.strip() for line in _LINE_END.split(text.replace(f"{_HYPHEN}\r\n", "").replace(_HYPHEN, ""))]
    longest = max(map(len, lines), default=0)
    held: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line:
            held.append(line)
        if held and _ends(line, after, longest):
            yield " ".join(held)
            held = []
    if held:
        yield " ".join(held)


def _ends(line: str, after: str, longest: int) -> bool:
    """Decide whether a paragraph ends with a line."""
    if not line or not after or _STARTS_ANEW.match(after):
        return True
    if len(line) < _SHORT_LINE * longest:
        return not after[:1].islower()
    return line[-1:] in ".:!?" and not after[:1].islower() and len(line) < longest * 0.95
