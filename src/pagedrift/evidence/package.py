"""The evidence file: both captures, the changes, the verdict, pictures and hashes of everything in one WACZ."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pagedrift.archive.export import INDEX, add_member, describe, page_lines
from pagedrift.archive.index import line_of, written
from pagedrift.archive.record_format import information
from pagedrift.archive.record_scan import Group, groups
from pagedrift.archive.writer import software
from pagedrift.atomic_files import atomic_file
from pagedrift.documents.comparable import readable
from pagedrift.errors import InputError
from pagedrift.evidence import signatures
from pagedrift.evidence.statement import statement
from pagedrift.report import card, data
from pagedrift.report.webpage import compare_page
from pagedrift.verdict import check

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.evidence.captured_records import EvidenceCapture
    from pagedrift.page import PageVersion

WARC: Final = "captures.warc.gz"
STATEMENT: Final = "evidence/index.html"
_DIGEST: Final = "datapackage-digest.json"
_CHUNK: Final = 1 << 20


def write_evidence(path: Path, old: EvidenceCapture, new: EvidenceCapture, *, key: Any = None) -> str:
    """Write the evidence about two captures, signed if there is a key; give the page that explains it."""
    before, after = _compared(old.page), _compared(new.page)
    verdict = check(before, after)
    page = compare_page(
        before, after, verdict.changes, preface=statement(old, new, verdict, signed=key is not None)
    )
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as package:
        parts = _captures(package, old.records + new.records)
        extras = {
            STATEMENT: page.encode("utf-8", "replace"),
            "evidence/changes.json": _json(data.changes(before, after, verdict.changes)),
            "evidence/verdict.json": _json(card.data(verdict)),
            **_pictures(old.page, new.page),
        }
        parts += [add_member(package, name, [content]) for name, content in extras.items()]
        title = f"Evidence: {new.page.url}"
        describe(package, parts, sign=partial(signatures.sign, key) if key is not None else None, title=title)
    return page


def _compared(page: PageVersion) -> PageVersion:
    found = readable(page)
    if found is None:
        raise InputError(f"{page.url} is neither a page nor a document that is read; give another capture")
    return found


def _captures(package: zipfile.ZipFile, records: bytes) -> list[dict[str, Any]]:
    """Add the WARC, its index and the list of pages."""
    warc = information(WARC, software()) + records
    lines = sorted(
        line
        for group in groups(io.BytesIO(warc))
        if isinstance(group, Group)
        for record in group.records
        if (line := line_of(written(record), WARC))
    )
    pages = (json.dumps(each).encode() + b"\n" for each in page_lines(lines))
    return [
        add_member(package, f"archive/{WARC}", [warc]),
        add_member(package, f"indexes/{INDEX}", lines),
        add_member(package, "pages/pages.jsonl", pages),
    ]


def _pictures(old: PageVersion, new: PageVersion) -> dict[str, bytes]:
    found = {}
    for name, page in (("old", old), ("new", new)):
        if page.view is not None and page.view.picture is not None:
            ending = "png" if page.view.picture.startswith(b"\x89PNG") else "jpg"
            found[f"evidence/{name}.{ending}"] = page.view.picture
    return found


def _json(what: Any) -> bytes:
    return json.dumps(what, ensure_ascii=False, indent=1).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCheck:
    """Whether an evidence file is as it was written."""

    problems: tuple[str, ...]  # what differs; none where all is whole
    signed: bool
    public_key: str = ""
    created: str = ""


def verify_evidence(path: Path) -> EvidenceCheck:
    """Check the hash of every file of a WACZ, and the signature over them if there is one."""
    try:
        with zipfile.ZipFile(path) as package:
            return _verified(package)
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise InputError(f"{path} is not a complete WACZ ({error}); get a complete copy") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its name and permissions") from None


def _verified(package: zipfile.ZipFile) -> EvidenceCheck:
    about = package.read("datapackage.json")
    proof = json.loads(package.read(_DIGEST))
    digest = f"sha256:{hashlib.sha256(about).hexdigest()}"
    problems = [] if proof.get("hash") == digest else ["datapackage.json was changed"]
    listed = {part["path"]: part["hash"] for part in json.loads(about)["resources"]}
    there = set(package.namelist()) - {"datapackage.json", _DIGEST}
    problems += [
        f"{name} is there more than once" for name, count in Counter(package.namelist()).items() if count > 1
    ]
    problems += [f"{name} was added" for name in sorted(there - listed.keys())]
    problems += [f"{name} is missing" for name in sorted(listed.keys() - there)]
    problems += [
        f"{name} was changed" for name in sorted(there & listed.keys()) if _hash(package, name) != listed[name]
    ]
    signed = proof.get("signedData")
    if signed is not None and not signatures.is_signed(signed, digest):
        problems.append("the signature is invalid")
    given = signed or {}
    return EvidenceCheck(
        problems=tuple(problems),
        signed=signed is not None,
        public_key=given.get("publicKey", ""),
        created=given.get("created", ""),
    )


def _hash(package: zipfile.ZipFile, name: str) -> str:
    hashed = hashlib.sha256()
    try:
        with package.open(name) as member:
            while part := member.read(_CHUNK):
                hashed.update(part)
    except zipfile.BadZipFile:  # its checksum says already that it was changed
        return "damaged"
    return f"sha256:{hashed.hexdigest()}"
