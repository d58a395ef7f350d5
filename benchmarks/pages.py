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


def pairs() -> dict[str, tuple[bytes, bytes]]:
    """Load pairs of versions by name."""
    folder = data()
    if folder:
        return {path.name: _pair(path) for path in sorted(folder.glob("pairs/*/"))}
    return {f"made-{seed}": (made(seed), _edited(made(seed))) for seed in range(100)}


def _pair(folder: Path) -> tuple[bytes, bytes]:
    old, new = (gzip.decompress((folder / f"{name}.html.gz").read_bytes()) for name in "ab")
    return old, new


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


def made_rows(size: int) -> tuple[bytes, bytes]:
    """Make a page of so many bytes, about 20 bytes a node, and a version with a few edits."""
    row = "<li>Permit {0:07} for a roof, a fence or an extension of {1:03} feet: <b>${2:05}</b></li>\n"
    sections = []
    for section in range(max(1, size // 9130)):
        rows = "".join(row.format(100 * section + n, n, 37 * section + n) for n in range(100))
        sections.append(f"<section><h2>Fees {section}</h2><ul>{rows}</ul></section>")
    old = "<!doctype html><title>Fees</title>" + "".join(sections)
    return old.encode(), _edited(old.encode())


def _edited(page: bytes) -> bytes:
    """Edit words in ten places, and put something in and take something out."""
    step = len(page) // 10
    parts = [page[start : start + step].replace(b"fence", b"shed", 1) for start in range(0, len(page), step)]
    parts[2] = parts[2].replace(b"<li>", b"<li>One more</li><li>", 1).replace(b"<br></div>", b"</div><p>New</p>", 1)
    parts[5] = parts[5].replace(b"<b>", b"", 1)
    return b"".join(parts)
