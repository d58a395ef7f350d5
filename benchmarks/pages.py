"""Which pages are measured: real ones where PAGEDRIFT_DATA is set, made ones elsewhere."""

from __future__ import annotations

import gzip
import io
import os
import random
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def data() -> Path | None:
    """Find the corpora."""
    folder = os.environ.get("PAGEDRIFT_DATA")
    return Path(folder) if folder else None


def bodies() -> list[bytes]:
    """Load some hundred pages."""
    folder = data()
    if folder:
        return [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("pairs/*/a.html.gz"))]
    return [made(seed) for seed in range(200)]


def archives(scratch: Path) -> list[Path]:
    """Name WARCs with some thousand pages; without corpora, write one."""
    folder = data()
    if folder:
        return sorted(folder.glob("streams/*.warc.gz"))
    path = scratch / "made.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for seed in range(2000):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            url = f"https://made.example/{seed}"
            record = writer.create_warc_record(url, "response", payload=io.BytesIO(made(seed)), http_headers=head)
            writer.write_record(record)
    return [path]


def made(seed: int) -> bytes:
    """Make a page like those of the web: about 36 bytes a tag, a third of the tags with attributes."""
    chance = random.Random(seed)
    words = "permit fee roof fence extension council library street market winter apply online counter".split()
    parts = ["<!doctype html><html lang=en><head><meta charset=utf-8><title>Made</title>"]
    parts.append("<script>" + "if (a < b) { call('x'); }\n" * 40 + "</script></head><body>")
    for number in range(chance.randrange(50, 600)):
        text = " ".join(chance.choices(words, k=chance.randrange(1, 14)))
        link = f'<a class="item link" href="/permits/{number}?page={seed}">{text}</a>'
        parts.append(f"<div class='row'><p>{text} <b>{chance.choice(words)}</b></p>{link}<br></div>\n")
    return "".join(parts).encode()
