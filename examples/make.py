"""Write the archives beside this file, as a crawler would have kept them.

permits.warc.gz holds two versions of the bundled page; news.warc.gz forty articles of a made-up newspaper that was
redesigned after the thirtieth.
"""

import io
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = Path(__file__).parent
PAGES = HERE.parent / "src" / "pagedrift" / "_demo"
URL = "https://city.example/permits"
REDESIGNED = 30


def permits() -> Iterable[tuple[str, bytes, datetime]]:
    """Give the versions of the bundled page."""
    for name, day in (("old", 8), ("new", 15)):
        yield URL, (PAGES / f"{name}.html").read_bytes(), datetime(2026, 11, day, 9, 12, tzinfo=UTC)


def news() -> Iterable[tuple[str, bytes, datetime]]:
    """Give the articles of the newspaper, one every third day."""
    sys.path.insert(0, str(HERE.parent))
    from tests.designs import new, old

    for number in range(40):
        body = (old if number < REDESIGNED else new)(number)
        date = datetime(2026, 1, 5, 8, tzinfo=UTC) + timedelta(days=3 * number)
        yield f"https://news.example/articles/{number}", body, date


def write(path: Path, pages: Iterable[tuple[str, bytes, datetime]]) -> None:
    """Write pages as records of a WARC."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, (url, body, date) in enumerate(pages):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                http_headers=head,
                warc_headers_dict={
                    "WARC-Date": f"{date:%Y-%m-%dT%H:%M:%SZ}",
                    "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
                },
            )
            writer.write_record(record)


if __name__ == "__main__":
    write(HERE / "permits.warc.gz", permits())
    write(HERE / "news.warc.gz", news())
