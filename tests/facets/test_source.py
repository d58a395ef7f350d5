import pytest

from pagedrift.facets.source import Encoding, decode, is_ascii_compatible, sniff

UMLAUT = "<p>größer</p>"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"\xef\xbb\xbf<meta charset=latin1>", "text/html; charset=koi8-r", Encoding("utf-8", "bom")),
        (b"\xff\xfe<\0", None, Encoding("utf-16le", "bom")),
        (b"<meta charset=latin1>", "text/html; charset=KOI8-R", Encoding("koi8-r", "header")),
        (b"<meta charset=latin1>", 'text/html; charset="utf8"', Encoding("utf-8", "header")),
        (b"<meta charset=latin1>", "text/html; charset=nonsense", Encoding("windows-1252", "meta")),
        (b"<META content='text/html;charset=gb2312' http-equiv=Content-Type>", None, Encoding("gbk", "meta")),
        (b"<!-- <meta charset=big5> --><meta charset=ascii>", None, Encoding("windows-1252", "meta")),
        (b"<meta charset=bogus><meta charset=big5>", None, Encoding("big5", "meta")),
        (b"<!--><meta charset=big5>", None, Encoding("big5", "meta")),
        (b"<a title='<meta charset=big5>'>", None, Encoding("utf-8", "detector")),
        (b"<p>", "text/html; x-charset=big5", Encoding("utf-8", "detector")),
        ("<p>a".encode("utf-16-le"), None, Encoding("utf-16le", "detector")),
        ("<p>a".encode("utf-16-be"), None, Encoding("utf-16be", "detector")),
        (("<p>日本語のページです。" * 9).encode("iso-2022-jp"), None, Encoding("iso-2022-jp", "detector")),
        (b"<meta charset=utf-16>", None, Encoding("utf-8", "meta")),
        (b"<meta charset=x-user-defined>", None, Encoding("windows-1252", "meta")),
        (b"<?xml version='1.0' encoding='EUC-JP'?>", None, Encoding("euc-jp", "xml")),
        (b" " * 1024 + b"<meta charset=latin1>", None, Encoding("utf-8", "detector")),
        (b"", None, Encoding("utf-8", "detector")),
        (UMLAUT.encode(), None, Encoding("utf-8", "detector")),
        (("<p>日本語のページです。" * 9).encode("shift_jis"), None, Encoding("shift_jis", "detector")),
        (
            ("<p>Съешь же ещё этих мягких булок" * 9).encode("cp1251"),
            None,
            Encoding("windows-1251", "detector"),
        ),
    ],
)
def test_the_first_of_mark_header_page_and_content_tells_the_encoding(body, content_type, expected) -> None:
    assert sniff(body, content_type) == expected


@pytest.mark.parametrize(
    ("body", "encoding", "expected"),
    [
        (b"\xef\xbb\xbfa", "utf-8", "a"),
        ("a日".encode("utf-16"), "utf-16le", "a日"),
        (b"\x80\x81", "windows-1252", "€\x81"),
        (b"a\xffb", "utf-8", "a\ufffdb"),
        (b"\xed\xa0\x80", "utf-8", "\ufffd\ufffd\ufffd"),  # a lone surrogate
        (b"\0\xd8b\0", "utf-16le", "\ufffdb"),
        ("漢".encode("big5"), "big5", "漢"),
    ],
)
def test_malformed_bytes_become_replacement_characters(body, encoding, expected) -> None:
    assert decode(body, encoding) == expected


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (UMLAUT.encode(), None, True),
        (UMLAUT.encode("latin-1"), "text/html; charset=latin1", True),
        (UMLAUT.encode("utf-16"), None, False),
        (b"<\0p\0>\0", "text/html; charset=utf-16le", False),
        ("<meta charset=iso-2022-jp>日本".encode("iso-2022-jp"), None, False),
        (b"<p>\x1b[0m", None, True),
    ],
)
def test_tags_can_be_read_off_all_bytes_in_which_ascii_is_ascii(body, content_type, expected) -> None:
    assert is_ascii_compatible(body, content_type) == expected
