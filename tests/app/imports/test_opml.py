import feedparser  # noqa: F401 - the library that users' readers are made of
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.imports import read
from pagedrift.app.imports.opml import write
from pagedrift.app.model.watch import Watch, checked
from pagedrift.errors import InputError

OPML = b"""<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>Mine</title></head><body>
<outline text="City"><outline type="rss" text="News" xmlUrl="https://city.example/feed?a=1&amp;b=2"/>
<outline text="Deep"><outline title="Fees" xmlUrl="https://city.example/fees.atom"/></outline></outline>
<outline type="link" text="Page" url="https://city.example/"/>
<outline text="nothing"/><outline xmlUrl="javascript:alert(1)"/></body></opml>"""


def told(found):
    return [(watch.kind, watch.url, watch.name, watch.group) for watch in found.watches]


def test_feeds_are_taken_over_with_their_groups():
    found = read(OPML)
    assert told(found) == [
        ("feed", "https://city.example/feed?a=1&b=2", "News", "City"),
        ("feed", "https://city.example/fees.atom", "Fees", "Deep"),
        ("page", "https://city.example/", "Page", ""),
    ]
    assert any("it cannot be watched" in note and "javascript:alert(1)" in note for note in found.notes)


def test_signs_that_programs_forget_to_write_right_are_mended():
    broken = b"<opml><body><outline text='A&nbsp;&Uuml;ber & more' xmlUrl='https://a.example/?x=1&y=2&amp;z=3'/></body></opml>"
    assert told(read(broken)) == [("feed", "https://a.example/?x=1&y=2&z=3", "A\xa0Über & more", "")]


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><outline text="&x;"/></opml>',
        b'<!DOCTYPE opml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><opml><outline text="&b;"/></opml>',
        b'<!DOCTYPE opml [<!ENTITY % x SYSTEM "http://127.0.0.1/x">%x;]><opml/>',
        b"<opml>" + b"<outline>" * 200,
        b"<opml><outline",
        b"<html><p>no</p></html>",
        b"<",
    ],
)
def test_what_is_no_list_of_feeds_is_refused(data):
    with pytest.raises(InputError):
        read(data)


def test_a_document_type_elsewhere_is_not_fetched(beacon):
    document = f'<!DOCTYPE opml SYSTEM "{beacon.url}/opml.dtd"><opml><outline xmlUrl="https://a.example/"/></opml>'
    assert len(read(document.encode()).watches) == 1
    assert beacon.asked == []


TEXT = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
WATCHES = st.builds(
    lambda kind, path, name, group: checked(Watch(f"https://a.example/{path}", kind=kind, name=name, group=group)),
    st.sampled_from(["page", "feed"]),
    st.text("abc?&=;/%", max_size=10),
    TEXT,
    TEXT | st.just(""),
)


@given(st.lists(WATCHES, max_size=6, unique_by=lambda watch: (watch.url, watch.kind)))
def test_what_is_written_is_read_back(watches):
    wanted = sorted((watch.kind, watch.url, watch.name, watch.group) for watch in watches)
    assert sorted(told(read(write(watches)))) == wanted
