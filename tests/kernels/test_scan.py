import gzip
import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift._kernels import names, scan_py
from tests.strategies import pages

scan_cy = pytest.importorskip("pagedrift._kernels.scan_cy", reason="the native kernels are not built")


def tag_names(data: bytes, **options: int) -> list[str]:
    codes, unknown, _ = scan_cy.scan(data, **options)
    return [
        ("/" if code & 1 else "")
        + (names.KNOWN[code >> 1] if code >> 1 < names.UNKNOWN else unknown[code >> 1].decode())
        for code in codes
    ]


def visible(data: bytes) -> list[bytes]:
    return scan_cy.scan(data, want_text=True)[2].split()


@given(pages, st.sampled_from([-1, -1, 0, 1, 5]))
def test_the_native_scanner_equals_its_readable_twin(page: bytes, limit: int) -> None:
    assert scan_cy.scan(page, limit, True) == scan_py.scan(page, limit, True)
    assert scan_cy.scan(page, limit) == scan_py.scan(page, limit)


def test_the_twins_agree_on_real_pages(data) -> None:
    for path in sorted((data / "pairs").glob("*/a.html.gz"))[::10]:
        page = gzip.decompress(path.read_bytes())
        assert scan_cy.scan(page, -1, True) == scan_py.scan(page, -1, True), path.parent.name


@given(pages, pages)
def test_a_page_cut_off_anywhere_has_the_tags_that_end_before_the_cut(head: bytes, tail: bytes) -> None:
    whole, part = scan_cy.scan(head + tail)[0], scan_cy.scan(head)[0]

    assert whole[: len(part)] == part


@given(pages, st.integers(0, 10))
def test_a_scan_that_stops_early_is_the_beginning_of_the_whole(page: bytes, limit: int) -> None:
    assert scan_cy.scan(page, limit)[0] == scan_cy.scan(page)[0][:limit]


STATES = {
    "Data state": b"",
    "Script data state": b"<script>",
    "RCDATA state": b"<xmp>",
    "RAWTEXT state": b"<xmp>",
}


def test_all_tag_tokens_of_the_conformance_suite_match(data) -> None:
    count = 0
    for path in sorted((data / "html5lib").glob("*.test")):
        for case in json.loads(path.read_text())["tests"]:
            for state in case.get("initialStates", ["Data state"]):
                if state not in STATES or case.get("lastStartTag", "xmp") != "xmp":
                    continue
                text = case["input"]
                if case.get("doubleEscaped"):
                    text = text.encode().decode("unicode_escape")
                expected = [
                    ("/" if kind == "EndTag" else "") + name
                    for kind, name, *_ in case["output"]
                    if kind in ("StartTag", "EndTag")
                ]
                prefix = STATES[state]
                actual = tag_names(prefix + text.encode("utf-8", "surrogatepass"))[bool(prefix) :]
                assert actual == expected, case["description"]
                count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"", []),
        (b"<", []),
        (b"</", []),
        (b"<a", []),
        (b"<a href='", []),
        (b"<a href=x>", ["a"]),
        (b"<A HREF=x></A>", ["a", "/a"]),
        (b'<a title="1 > 0">', ["a"]),
        (b"<a title=1 > 0>", ["a"]),
        (b"<a 'b>c'>", ["a"]),  # quotes in a name quote nothing
        (b"<a b=c'd>e'>", ["a"]),  # nor do those inside an unquoted value
        (b'<a =">">', ["a"]),  # a leading = belongs to the name
        (b'<a b==">">', ["a"]),
        (b"<a/b/c>", ["a"]),
        (b"<br/>", ["br"]),
        (b"</a b='>'>", ["/a"]),
        (b"</>x<p>", ["p"]),
        (b"</ p><b>", ["b"]),
        (b"<?php echo '<b>' ?>", []),
        (b"<!DOCTYPE html PUBLIC '>'><p>", ["p"]),
        (b"<!-- <b> --><p>", ["p"]),
        (b"<!--><p>", ["p"]),
        (b"<!---><p>", ["p"]),
        (b"<!-- --!><p>", ["p"]),
        (b"<!-- -- ><p>--><b>", ["b"]),
        (b"<!-- <p>", []),
        (b"<![CDATA[<b>]]><p>", ["p"]),  # a bogus comment in HTML, up to the first >
        (b"<svg><![CDATA[<b>]]><g/></svg><p>", ["svg", "g", "/svg", "p"]),
        (b"<svg><title><b></title></svg>", ["svg", "title", "b", "/title", "/svg"]),
        (b"<svg><style><b>", ["svg", "style", "b"]),
        (b"<svg><p><style><b></style>", ["svg", "p", "style", "/style"]),  # <p> ends the SVG
        (b"<svg><foreignObject><style><b></style>", ["svg", "foreignobject", "style", "/style"]),
        (b"<title><b></title>", ["title", "/title"]),
        (b"<textarea></textarea-x></TEXTAREA >", ["textarea", "/textarea"]),
        (b"<style><!-- </style> -->", ["style", "/style"]),
        (b"<iframe><b></iframe>", ["iframe", "/iframe"]),
        (b"<noscript><b></noscript>", ["noscript", "b", "/noscript"]),
        (b"<plaintext><b></plaintext>", ["plaintext"]),
        (b"<script>if (a<b) '</b>'</script>", ["script", "/script"]),
        (b"<script><!-- <script> </script> --></script><p>", ["script", "/script", "p"]),
        (b"<script><!-- </script><p>", ["script", "/script", "p"]),
        (b"<script><!--><script></script><p>", ["script", "/script", "p"]),
        (b"<script>", ["script"]),
        (b"<x\0y></x\0y>", ["x\ufffdy", "/x\ufffdy"]),
        ("<pé>".encode(), ["pé"]),
        ("<é>".encode(), []),
        (b"<p\r\n\f\tclass=x>", ["p"]),
        (b"<very-long-name-of-a-custom-element>", ["very-long-name-of-a-custom-element"]),
    ],
)
def test_tags_are_read_as_the_standard_says(page: bytes, expected: list[str]) -> None:
    assert tag_names(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<p>foot<b>ball</b>", [b"football"]),
        (b"<p>a<p>b", [b"a", b"b"]),
        (b"a<br>b<wbr>c", [b"a", b"bc"]),
        (b"a<!-- x -->b", [b"ab"]),
        (b"a<script>x</script>b", [b"ab"]),
        (b"a<div hidden>x</div>b", [b"a", b"b"]),
        (b"a<div HIDDEN=''>x<div>y</div>z</div>b", [b"a", b"b"]),
        (b"<p hidden>x<p>b", [b"b"]),
        (b"<ul><li hidden>x<ul><li>y</ul>z<li>b</ul>", [b"b"]),
        (b"<table><tr><td hidden>x<td>b</table>", [b"b"]),
        (b"<div><span hidden>x</div>b", [b"b"]),  # a block's end ends what was left open in it
        (b"<div hidden>x</span>y</div>b", [b"b"]),
        (b"<input type=hidden>b", [b"b"]),
        (b"<img hidden>b", [b"b"]),
        (b"<p style='color:red;DISPLAY : none'>x</p>b", [b"b"]),
        (b"<p style='visibility:hidden'>x</p>b", [b"b"]),
        (b"<p style='display:block'>a</p>", [b"a"]),
        (b"<p class=hidden>a</p>", [b"a"]),
        (b"<p style='backface-visibility:hidden'>a</p>", [b"a"]),
        (b"<p style='--display:none;display:none-x;/*display:none*/'>a</p>", [b"a"]),
        (b"<p style='color:red; display:none!important'>x</p>b", [b"b"]),
        (b"<a hidden>x<a>b", [b"b"]),
        (b"<template>x</template><noscript>x</noscript><title>x</title>a", [b"a"]),
        (b"<svg><title>x</title><text>a</text></svg>", [b"a"]),
        (b"<textarea>a</textarea>", [b"a"]),
        (b"1 < 2 <3", [b"1", b"<", b"2", b"<3"]),
        (b"a\0b", [b"ab"]),
    ],
)
def test_visible_text_is_what_a_reader_sees(page: bytes, expected: list[bytes]) -> None:
    assert visible(page) == expected


MEGA = 1_000_000
HOSTILE = {
    "brackets": lambda n: b"<" * n,
    "nested": lambda n: b"<div>" * (n // 5),
    "hidden and nested": lambda n: b"<div hidden>" + b"<b>" * (n // 8) + b"</i>" * (n // 8),
    "one attribute": lambda n: b'<a b="' + b"x" * n + b'">',
    "unclosed attribute": lambda n: b'<a b="' + b"x" * n,
    "attributes": lambda n: b"<a" + b" b=c" * (n // 4) + b">",
    "unclosed comment": lambda n: b"<!--" + b"->" * (n // 2),
    "comments": lambda n: b"<!--" * (n // 4),
    "unclosed script": lambda n: b"<script>" + b"<!--<script>" * (n // 12),
    "script ends": lambda n: b"<script>" + b"</scrip" * (n // 7),
    "styles": lambda n: b"<p style='" + b"display:" * (n // 8) + b"'>",
    "slashes": lambda n: b"</" * (n // 2),
    "cdata": lambda n: b"<svg>" + b"<![CDATA[>" * (n // 10),
    "nul": lambda n: b"\0" * n,
    "svg in html in svg": lambda n: b"<svg><desc>" * (n // 11),
    "new names": lambda n: b"".join(b"<x%d>" % i for i in range(n // 9)),
    "text": lambda n: b"a &amp; b " * (n // 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_time_grows_linearly_on_hostile_pages(kind: str) -> None:
    def seconds(size: int) -> float:
        page = HOSTILE[kind](size)
        start = time.process_time()
        scan_cy.scan(page, -1, True)
        return time.process_time() - start

    small = min(seconds(MEGA) for _ in range(3))
    large = min(seconds(8 * MEGA) for _ in range(3))

    assert large < 8 * 4 * small + 0.05  # quadratic would be 64 times


def test_other_threads_run_during_a_scan() -> None:
    page = b"<p>text</p>" * (4 * MEGA)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(time.perf_counter())

    def one_ran_meanwhile() -> bool:
        ticks.clear()
        start = time.perf_counter()
        scan_cy.scan(page)
        end = time.perf_counter()
        return any(start + (end - start) * 0.2 < moment < start + (end - start) * 0.8 for moment in ticks)

    thread = threading.Thread(target=tick)
    thread.start()
    try:  # a busy machine may let the other thread wait through many scans, but not through all
        assert any(one_ran_meanwhile() for _ in range(300))
    finally:
        done.set()
        thread.join()


def test_no_two_known_names_have_the_same_number_or_hash() -> None:
    hashes = {scan_py.hash_bytes(name.encode()) for name in names.KNOWN}

    assert len(hashes) == len(names.KNOWN) == len(set(names.KNOWN))
    assert all(scan_cy.name_id(name.encode()) == number for number, name in enumerate(names.KNOWN))


def test_the_numbers_of_known_names_never_change() -> None:
    # Fingerprints and detector states store them: names are added at the end only.
    assert [names.IDS[name] for name in ("a", "div", "p", "svg", "math", "semantics")] == [
        0,
        37,
        94,
        145,
        200,
        230,
    ]
