"""Documents that are not HTML are read like pages: every question can be asked about them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion, changes, check, pick, read
from pagedrift.documents.comparable import READERS, as_html, readable, what_it_is
from pagedrift.documents.pdf import paragraphs, read_pdf
from pagedrift.errors import InputError, PagedriftError
from tests.builders import DAYS, pdf, record

LINES = ["Fees of the town of Elm", "A permit for a fence costs $40 and is valid for a year from now on."]
RSS = (
    "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><lastBuildDate>{built}</lastBuildDate>"
    "<item><title>{title}</title><link>https://town.example/1</link><description>&lt;p&gt;All day&lt;/p&gt;"
    "</description></item></channel></rss>"
)


def document(body: bytes | str, content_type: str) -> PageVersion:
    data = body if isinstance(body, bytes) else body.encode()
    return PageVersion("https://town.example/x", data, content_type=content_type)


def test_the_text_of_a_pdf_is_read_with_its_pages() -> None:
    page = as_html(document(pdf(LINES, ["Second page."]), "application/pdf"))

    assert page.title == "Fees"
    assert [page.tree.attribute(node, "id") for node in page.tree.elements("section")] == ["page-1", "page-2"]
    assert "fence" in page.words


def test_a_changed_price_in_a_pdf_is_found_and_named() -> None:
    old, new = (pdf([LINES[0], LINES[1].replace("$40", fee)]) for fee in ("$40", "$45"))
    found = changes(*(as_html(document(each, "application/pdf")) for each in (old, new)))

    assert [str(each.level) for each in found] == ["important"]


def test_a_new_date_of_creation_is_no_change() -> None:
    old, new = (document(pdf(LINES, created=f"2026{month}01000000"), "application/pdf") for month in ("01", "02"))

    assert old.body != new.body
    assert not check(as_html(old), as_html(new)).changed


@pytest.mark.parametrize(
    "body", [b"%PDF-1.7", b"%PDF-1.4\n" + bytes(5000), pdf(LINES)[:400], b"%PDF-" + b"\xff" * 100]
)
def test_a_damaged_pdf_is_an_error_with_the_next_step_and_not_a_crash(body: bytes) -> None:
    with pytest.raises(PagedriftError, match=";"):
        read_pdf(body)
    assert readable(document(body, "application/pdf")) is None


@given(st.lists(st.text("abc XYZ.•\ufffe", max_size=40), max_size=8))
def test_paragraphs_keep_every_word(lines: list[str]) -> None:
    text = "\r\n".join(lines)
    kept = "".join(paragraphs(text)).replace(" ", "")

    assert kept == text.replace("\ufffe", "").replace("\r\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        ("a,b\n1,2", "text/csv", "table"),
        ("<fees><fee>40</fee></fees>", "application/xml", "XML file"),
        (RSS, "application/xml", "feed"),
        (RSS, "application/rss+xml", "feed"),
        ('{"fee": 40}', "application/json", "json"),
        ("plain", "text/plain", "text"),
    ],
)
def test_documents_are_told_apart(body: str, content_type: str, kind: str) -> None:
    assert what_it_is(document(body, content_type)) == kind
    assert kind in READERS


def test_the_order_of_keys_is_no_change_in_json() -> None:
    old, new = ('{"a": 1, "b": {"c": 2, "d": 3}}', '{"b": {"d": 3, "c": 2}, "a": 1}')

    assert as_html(document(old, "application/json")).body == as_html(document(new, "application/json")).body


def test_a_cell_of_a_table_is_one_change() -> None:
    old, new = (as_html(document(f"permit;fee\nfence;{fee}\nroof;$85\n", "text/csv")) for fee in ("$40", "$45"))

    assert [(each.old_text, each.new_text) for each in changes(old, new)] == [("$40", "$45")]


def test_when_a_feed_was_built_is_no_change_and_a_new_entry_is() -> None:
    built = [as_html(document(RSS.format(built=at, title="Pool"), "application/rss+xml")) for at in ("Mon", "Tue")]
    other = as_html(document(RSS.format(built="Tue", title="Pool closed"), "application/rss+xml"))

    assert built[0].body == built[1].body
    assert "closed" in other.words


def test_entities_that_grow_without_end_are_never_opened() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'

    assert as_html(document(bomb, "application/xml")).source.count("ha") == 1


@pytest.mark.parametrize("kind", sorted(READERS))
@given(body=st.binary(max_size=200))
def test_no_bytes_break_a_reader(kind: str, body: bytes) -> None:
    if kind != "PDF document":  # its reader starts a process each time
        READERS[kind](document(body, "text/plain"))


def test_documents_are_picked_as_files_and_out_of_archives(tmp_path: Path) -> None:
    (tmp_path / "fees.pdf").write_bytes(pdf(LINES))
    (tmp_path / "fees.json").write_text(json.dumps({"fence": 40}))
    archive = tmp_path / "crawl.warc"
    headers = [("Content-Type", "application/pdf")]
    archive.write_bytes(
        record() + record("https://town.example/fees.pdf", pdf(LINES), headers=headers, date=DAYS[1])
    )

    assert "fence" in pick(tmp_path / "fees.pdf").words
    assert pick(tmp_path / "fees.json").words == ("fence:", "40")
    assert "fence" in pick(f"{archive}@https://town.example/fees.pdf").words
    assert len(list(read(archive))) == 1
    assert len(list(read(archive, documents=True))) == 2


def test_data_that_lies_in_a_folder_of_pages_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Page")
    (tmp_path / "data.json").write_text("{}")

    assert len(list(read(tmp_path))) == 1


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    keys = b"/O (%s) /U (%s)" % (b"x" * 32, b"y" * 32)
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 %s >> /ID [(a) (a)] /Root 1 0 R" % keys
    locked = pdf(LINES).replace(b"/Root 1 0 R", lock)
    (tmp_path / "locked.pdf").write_bytes(locked)

    with pytest.raises(InputError, match="encrypted; open it in a viewer"):
        pick(tmp_path / "locked.pdf")
