"""pagedrift evidence: two captures of a page and what differs, with hashes and a signature, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import (
    Question,
    answer,
    answer_json,
    check_place,
    exit_status,
    file_type,
    json_option,
    progress,
)
from pagedrift.report.data import FORMAT

if TYPE_CHECKING:
    from pagedrift.evidence.captured_records import EvidenceCapture


@click.group(cls=Question, short_help="Keep two captures and what differs as signed evidence.")
def evidence() -> None:
    """Keep two captures of a page and what differs between them in one WACZ file, with hashes and your signature.

    \b
    pagedrift evidence OLD NEW --to FILE.wacz
      --to FILE.wacz              Where the evidence goes.
      --key FILE                  Sign it with this private key.
      --new-key FILE              Make a private key in this file, and sign with it.
      --html FILE                 Write the page that explains the evidence as a separate file, too.
      --pictures                  Take screenshots of both captures, too.
    pagedrift evidence verify FILE.wacz

    OLD and NEW are URLs, files, ARCHIVE@DATE or ARCHIVE@URL@DATE. That a page is gone is evidence, too: give the
    capture with the error, or the URL. The file holds the records of both captures, the highlighted page, every
    edit, the verdict with its reasons, and the SHA-256 of everything; a player of archives or a browser opens it.

    \b
    Examples:
      pagedrift evidence crawl.warc.gz@2026-11-08 crawl.warc.gz@2026-11-15 --to fees.wacz --new-key mine.pem
      pagedrift evidence verify fees.wacz
    """


@evidence.command(hidden=True, short_help="Write the evidence about two captures.")
@click.argument("old")
@click.argument("new")
@click.option("--to", "target", required=True, type=file_type, metavar="FILE.wacz", help="Where the evidence goes.")
@click.option("--key", "key_file", type=file_type, metavar="FILE", help="Sign it with this private key.")
@click.option("--new-key", type=file_type, metavar="FILE", help="Make a private key, and sign with it.")
@click.option("--html", type=file_type, metavar="FILE", help="Write the page that explains the evidence, too.")
@click.option("--pictures", is_flag=True, help="Take screenshots of both captures, too.")
@json_option
def ask(
    *,
    old: str,
    new: str,
    target: Path,
    key_file: Path | None,
    new_key: Path | None,
    html: Path | None,
    pictures: bool,
    as_json: bool,
) -> None:
    """Write the evidence about OLD and NEW."""
    from pagedrift.evidence import signatures
    from pagedrift.evidence.captured_records import captured
    from pagedrift.evidence.package import write_evidence

    if key_file and new_key:
        raise click.UsageError("--key and --new-key are about one key; leave one of them out.")
    for path in (target, html):
        check_place(path)
    if new_key is not None:
        signatures.make_key(new_key)
    key = signatures.load_key(path) if (path := key_file or new_key) else None
    before, after = (captured(each, on_progress=progress()) for each in (old, new))
    if pictures:
        before, after = _pictured((old, before), (new, after))
    page = write_evidence(target, before, after, key=key)
    if html is not None:
        write_atomically(html, page.encode("utf-8", "replace"))
    _tell(target, signed=key is not None, as_json=as_json)


def _pictured(*asked: tuple[str, EvidenceCapture]) -> list[EvidenceCapture]:
    from dataclasses import replace

    from pagedrift.cli.page_renderer import PageRenderer

    with PageRenderer(wanted=True, strict=True) as renderer:
        return [replace(found, page=renderer.look(reference, found.page)) for reference, found in asked]


def _tell(target: Path, *, signed: bool, as_json: bool) -> None:
    size = target.stat().st_size
    if as_json:
        answer_json({"format": FORMAT, "file": str(target), "bytes": size, "signed": signed})
    else:
        state = "signed" if signed else "not signed; sign it with --key or --new-key"
        answer(
            [f"evidence in {target}, {size:,} bytes, {state}", f"check it with: pagedrift evidence verify {target}"]
        )


@evidence.command(short_help="Check the hashes and the signature of an evidence file.")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def verify(*, file: Path, as_json: bool) -> None:
    """Check that FILE is as it was written: the hash of every file in it, and the signature.

    The exit status is 1 if anything was changed.

    \b
    Example:
      pagedrift evidence verify fees.wacz
    """
    from pagedrift.evidence.package import verify_evidence

    found = verify_evidence(file)
    if as_json:
        answer_json(
            {
                "format": FORMAT,
                "whole": not found.problems,
                "problems": list(found.problems),
                "signed": found.signed,
                "public_key": found.public_key,
                "created": found.created,
            }
        )
    else:
        said = list(found.problems) or ["intact: every hash matches"]
        if found.signed:
            said.append(f"signed at {found.created} by the key {found.public_key}")
        else:
            said.append("not signed: anybody could have written it")
        answer(said)
    exit_status(yes=bool(found.problems))
