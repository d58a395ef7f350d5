import pytest

from pagedrift.file_types import DOCUMENT, MHTML, OTHER, PAGE, WARC, ZIP, looks_like_html, recognise, refusal
from tests.builders import pack

HTML = b"<!doctype html><p>Hello"
MAIL = (
    b'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html"\r\n\r\n'
)


@pytest.mark.parametrize(
    "head",
    [
        HTML,
        b"\xef\xbb\xbf \r\n<HTML>",
        b"<?xml version='1.0'?>\n<!-- saved -->\n<html xmlns='http://www.w3.org/1999/xhtml'>",
        b"<!-- a --><!-- b --><head>",
        "<html>".encode("utf-16"),
        "<html>".encode("utf-16-le"),
        b"<P\tclass=x>",
        b"<br/>",
    ],
)
def test_these_look_like_html(head: bytes) -> None:
    assert looks_like_html(head)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"Hello",
        b"<",
        b"<?xml version='1.0'?><rss>",
        b"<svg>",
        b"<pre",
        b"<!-- <html>",
        b"{}",
        b"\x89PNG<html>",
    ],
)
def test_these_do_not_look_like_html(head: bytes) -> None:
    assert not looks_like_html(head)


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (HTML, "page", PAGE),
        (b"Hello", "page.html", PAGE),
        (b"Hello", "PAGE.HTM", PAGE),
        (b"Hello", "-", PAGE),
        (b"Hello", "page.txt", DOCUMENT),
        (pack(HTML), "page.gz", PAGE),
        (pack(b"Hello"), "page.xhtml.gz", PAGE),
        (pack(b"Hello"), "page.txt.gz", DOCUMENT),
        (b"WARC/1.0\r\n", "page.html", WARC),
        (pack(b"WARC/1.0\r\n"), "-", WARC),
        (b"damaged", "crawl.warc.gz", WARC),
        (b"PK\x03\x04", "crawl", ZIP),
        (b"damaged", "crawl.wacz", ZIP),
        (MAIL, "page.html", MHTML),
        (b"", "page.mht", MHTML),
        (b"\x89PNG", "page.html", OTHER),
        (bytes(100), "page.html", OTHER),
        ("Größe".encode("utf-16"), "page.html", PAGE),
        (b"\x1f\x8bdamaged", "page.gz", OTHER),
    ],
    ids=[
        "a page without an ending",
        "text called html",
        "text called HTM",
        "text from a pipe",
        "text called txt",
        "a packed page",
        "packed text called xhtml",
        "packed text called txt",
        "an archive called html",
        "a packed archive from a pipe",
        "a damaged archive",
        "a zip",
        "a damaged wacz",
        "a saved mail",
        "nothing called mht",
        "a picture called html",
        "zeros called html",
        "UTF-16",
        "damaged and packed",
    ],
)
def test_content_tells_and_the_name_where_it_does_not(head: bytes, name: str, kind: str) -> None:
    assert recognise(head, name) == kind


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (MAIL, "page is MHTML, which is not read; open it in a browser and save it as HTML"),
        (b"\x28\xb5\x2f\xfd", "page is packed with zstd; unpack it first: unzstd FILE"),
        (b"\x7fELF", "page is a program; give an HTML file, a WARC or a WACZ"),
        (b'{"profile": "multi-wacz-package"}', "page is a list of WACZ files; give the WACZ files it lists"),
        (b"Hello", "page does not look like HTML; give an HTML file"),
    ],
    ids=["MHTML", "zstd", "program", "list of WACZ files", "text"],
)
def test_a_refusal_says_what_it_is_and_what_to_do(head: bytes, message: str) -> None:
    assert refusal(head, "page").startswith(message)


def test_many_comments_do_not_take_long() -> None:
    assert not looks_like_html(b"<!-- x -->\n" * 200 + b"<x-app>hello")
    assert looks_like_html(b"<!-- x -->\n" * 19 + b"<p>hello")
