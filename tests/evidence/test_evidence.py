"""Evidence that stands: everything is in one file, and a change of one byte is found."""

import gzip
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pagedrift import read
from pagedrift.errors import InputError
from pagedrift.evidence.captured_records import captured
from pagedrift.evidence.package import verify_evidence, write_evidence
from pagedrift.evidence.signatures import is_signed, load_key, make_key, sign
from tests.builders import DAYS, PAGE, URL, record, revisit
from tests.cli.test_commands import EXAMPLE, run, trouble

OLD, NEW = f"{EXAMPLE}@2026-11-08", f"{EXAMPLE}@2026-11-15"
WACZ = Path(sys.executable).with_name("wacz")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Signed evidence about two captures of the example."""
    target = tmp_path / "fees.wacz"
    ran = run("evidence", OLD, NEW, "--to", str(target), "--new-key", str(tmp_path / "key.pem"))
    assert ran.returncode == 0, ran.stderr
    return target


def test_the_captures_in_the_evidence_are_those_of_the_archive(made: Path) -> None:
    assert [version.body for version in read(made)] == [version.body for version in read(EXAMPLE)]


def test_the_evidence_holds_the_page_the_edits_and_the_verdict(made: Path) -> None:
    with zipfile.ZipFile(made) as package:
        page = package.read("evidence/index.html").decode()
        edits = json.loads(package.read("evidence/changes.json"))
        verdict = json.loads(package.read("evidence/verdict.json"))

    assert "SHA-256" in page
    assert edits
    assert verdict["changed"]


def test_the_reference_tool_finds_it_valid(made: Path) -> None:
    ran = subprocess.run([WACZ, "validate", "-f", made], capture_output=True, check=False)

    assert b"Validation succeeded" in ran.stdout


def test_whole_evidence_is_found_whole_and_signed(made: Path) -> None:
    found = verify_evidence(made)

    assert (found.problems, found.signed) == ((), True)


@pytest.mark.parametrize("name", ["archive/captures.warc.gz", "evidence/index.html", "datapackage.json"])
def test_a_change_of_one_byte_is_found(made: Path, name: str) -> None:
    with zipfile.ZipFile(made) as package:
        info = package.getinfo(name)
    data = bytearray(made.read_bytes())
    data[info.header_offset + 30 + len(name) + 20 + info.file_size // 2] ^= 1
    made.write_bytes(data)

    ran = run("evidence", "verify", str(made))
    assert ran.returncode in (1, 2)
    assert b"intact: every hash matches" not in ran.stdout


def test_a_hash_that_was_made_to_fit_is_found_by_the_signature(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.wacz"
    with zipfile.ZipFile(made) as package, zipfile.ZipFile(other, "w") as forged:
        for name in package.namelist():
            data = package.read(name)
            if name == "datapackage.json":
                data = data.replace(b"Evidence", b"evidence")
            if name == "datapackage-digest.json":
                proof = json.loads(data)
                listed = package.read("datapackage.json").replace(b"Evidence", b"evidence")
                proof["hash"] = f"sha256:{hashlib.sha256(listed).hexdigest()}"
                data = json.dumps(proof).encode()
            forged.writestr(name, data)

    assert verify_evidence(other).problems == ("the signature is invalid",)


def test_a_second_file_of_the_same_name_is_found(made: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(made, "a") as package:
        package.writestr("evidence/index.html", "forged")

    assert "evidence/index.html is there more than once" in verify_evidence(made).problems


def test_a_signature_of_another_hash_does_not_fit(tmp_path: Path) -> None:
    make_key(tmp_path / "key.pem")
    signed = sign(load_key(tmp_path / "key.pem"), "sha256:1")

    assert is_signed(signed, "sha256:1")
    assert not is_signed(signed, "sha256:2")
    assert not is_signed({**signed, "publicKey": "AAAA"}, "sha256:1")


def test_a_key_is_for_its_owner_alone_and_never_written_over(tmp_path: Path) -> None:
    make_key(tmp_path / "key.pem")

    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="already exists"):
        make_key(tmp_path / "key.pem")


def test_what_is_not_a_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("not a key")

    said = trouble("evidence", OLD, NEW, "--to", str(tmp_path / "a.wacz"), "--key", str(tmp_path / "key.pem"))
    assert "make one with: --new-key FILE" in said
    assert not (tmp_path / "a.wacz").exists()


def test_that_a_page_is_gone_is_evidence(tmp_path: Path) -> None:
    archive = tmp_path / "crawl.warc"
    archive.write_bytes(record() + record(body=b"<p>Not found", status="404 Not Found", date=DAYS[5]))
    old, new = captured(f"{archive}@2026-11-01"), captured(f"{archive}@2026-11-10")

    assert "The page is gone: the later capture has the status 404" in write_evidence(tmp_path / "a.wacz", old, new)


def test_requests_and_what_a_revisit_repeats_come_along(tmp_path: Path) -> None:
    archive = tmp_path / "crawl.warc"
    request = record(kind="request", body=b"", status="GET /fees", headers=[("Host", "city.example")], date=DAYS[0])
    again = revisit(date=DAYS[3], refers_to_uri=URL, refers_to_date=DAYS[0])
    archive.write_bytes(record(body=PAGE) + request + again)
    found = captured(f"{archive}@2026-11-05")
    (tmp_path / "records.warc.gz").write_bytes(found.records)

    assert [version.body for version in read(tmp_path / "records.warc.gz")] == [PAGE] or found.page.body == PAGE
    assert b"GET /fees" in gzip.decompress(found.records)


def test_files_are_evidence_too(tmp_path: Path) -> None:
    for name, fee in (("old", 40), ("new", 45)):
        (tmp_path / f"{name}.html").write_text(f"<p>A permit costs ${fee}")
    target = tmp_path / "a.wacz"
    run("evidence", str(tmp_path / "old.html"), str(tmp_path / "new.html"), "--to", str(target))

    assert verify_evidence(target).problems == ()
    assert not verify_evidence(target).signed


def test_something_else_is_not_evidence(tmp_path: Path) -> None:
    (tmp_path / "a.wacz").write_bytes(b"PK\x03\x04 cut off")

    assert "get a complete copy" in trouble("evidence", "verify", str(tmp_path / "a.wacz"))
