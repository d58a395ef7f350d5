"""The process that reads one PDF, from standard input, with limits of memory and processor time of its own.

It prints one JSON object: the text of each page, and the title; or what is wrong with the file.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any, Final

CPU_SECONDS: Final = 20
MAX_MEMORY: Final = 2 << 30  # bytes, the library itself included
MAX_PAGES: Final = 3_000
MAX_CHARS: Final = 8_000_000


def main() -> None:
    """Read a PDF and print its text."""
    _limit()
    data = sys.stdin.buffer.read()
    import pypdfium2  # type: ignore[import-untyped] # after the limits are set

    try:
        answer = _read(pypdfium2.PdfDocument(data))
    except pypdfium2.PdfiumError as error:
        answer = {"problem": "it is encrypted" if "password" in str(error).lower() else "it is damaged"}
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _limit() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, macOS not all of them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _read(document: Any) -> dict[str, Any]:
    pages: list[str] = []
    left = MAX_CHARS
    for number in range(min(len(document), MAX_PAGES)):
        text = document[number].get_textpage().get_text_range()
        pages.append(text[:left])
        left -= len(pages[-1])
        if left <= 0:
            break
    return {"pages": pages, "count": len(document), "title": document.get_metadata_dict().get("Title", "")}


if __name__ == "__main__":
    main()
