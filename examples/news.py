"""Write news.warc.gz: forty articles of a made-up newspaper, redesigned after the thirtieth."""

import io
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

REDESIGNED = 30
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


def main() -> None:
    """Write the archive beside this file."""
    from tests.designs import new, old

    with (HERE / "news.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number in range(40):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            date = datetime(2026, 1, 5, 8, tzinfo=UTC) + timedelta(days=3 * number)
            record = writer.create_warc_record(
                f"https://news.example/articles/{number}",
                "response",
                payload=io.BytesIO((old if number < REDESIGNED else new)(number)),
                http_headers=head,
                warc_headers_dict={
                    "WARC-Date": f"{date:%Y-%m-%dT%H:%M:%SZ}",
                    "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
                },
            )
            writer.write_record(record)


if __name__ == "__main__":
    main()
