"""Archives for tests: real ones, written by warcio, and the bytes to break them with."""

import gzip
import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


class Writer(WARCWriter):
    """A writer that leaves no temporary file open."""

    _create_temp_file = staticmethod(io.BytesIO)


URL = "https://city.example/fees"
PAGE = b"<!doctype html><title>Fees</title><p>A permit costs $120"
DAYS = tuple(f"2026-11-{day:02}T12:00:00Z" for day in range(1, 29))


def record(
    url: str = URL,
    body: bytes = PAGE,
    *,
    date: str = DAYS[0],
    kind: str = "response",
    status: str = "200 OK",
    headers: Iterable[tuple[str, str]] = (("Content-Type", "text/html; charset=utf-8"),),
    content_type: str | None = None,
    version: str = "WARC/1.0",
    packed: bool = False,
) -> bytes:
    """Write one record; `content_type` is the one of the record itself."""
    buffer = io.BytesIO()
    writer = Writer(buffer, gzip=packed, warc_version=version)
    http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1") if kind in ("response", "request") else None
    written = writer.create_warc_record(
        url,
        kind,
        payload=io.BytesIO(body),
        http_headers=http,
        warc_content_type=content_type or "",
        warc_headers_dict={"WARC-Date": date},
    )
    writer.write_record(written)
    return buffer.getvalue()


def revisit(url: str = URL, *, date: str = DAYS[9], packed: bool = False, **fields: str) -> bytes:
    """Write one revisit record; `fields` are its WARC headers, with _ for -."""
    buffer = io.BytesIO()
    writer = Writer(buffer, gzip=packed, warc_version="WARC/1.1")
    status = fields.pop("status", "200 OK")
    headers = [("X-Seen", "again"), *([("Content-Type", fields.pop("http_type"))] if "http_type" in fields else [])]
    written = writer.create_revisit_record(
        url,
        digest=fields.pop("digest", "sha1:UNKNOWN"),
        refers_to_uri=fields.pop("refers_to_uri", ""),
        refers_to_date=fields.pop("refers_to_date", ""),
        http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": date, **{name.replace("_", "-"): text for name, text in fields.items()}},
    )
    writer.write_record(written)
    return buffer.getvalue()


def days(count: int, *, packed: bool = False) -> list[bytes]:
    """Write one page version a day, each with a body of its own."""
    return [record(body=PAGE + b" on day %d" % day, date=DAYS[day], packed=packed) for day in range(count)]


def pack(data: bytes) -> bytes:
    """Pack bytes as one gzip member."""
    return gzip.compress(data, mtime=0)


def wacz(path: Path, members: dict[str, bytes], *, deflated: bool = False) -> Path:
    """Write a WACZ that holds these members."""
    method = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as package:
        for name, data in {"datapackage.json": b"{}", **members}.items():
            package.writestr(name, data)
    return path


def pdf(*pages: list[str], created: str = "20260101000000") -> bytes:
    """Write a PDF with these lines on its pages."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        text = b"".join(b"(%s) Tj 0 -16 Td " % line.encode("latin-1") for line in lines)
        content = b"BT /F1 12 Tf 60 760 Td " + text + b"ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (Fees) /CreationDate (D:%s) >>" % created.encode())
    return _joined(objects)


def _joined(objects: list[bytes]) -> bytes:
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (len(objects) + 1, len(objects))
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return data + head + table + b"trailer " + trailer + b"\nstartxref\n%d\n%%%%EOF" % len(data)
