"""Write permits.warc.gz: two versions of the bundled page, as a crawler would have kept them."""

import io
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = Path(__file__).parent
PAGES = HERE.parent / "src" / "pagedrift" / "_demo"
URL = "https://city.example/permits"


def main() -> None:
    """Write the archive beside this file."""
    with (HERE / "permits.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, (name, date) in enumerate((("old", "2026-11-08"), ("new", "2026-11-15"))):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                URL,
                "response",
                payload=io.BytesIO((PAGES / f"{name}.html").read_bytes()),
                http_headers=head,
                warc_headers_dict={
                    "WARC-Date": f"{date}T09:12:00Z",
                    "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
                },
            )
            writer.write_record(record)


if __name__ == "__main__":
    main()
