import xml.etree.ElementTree as ET
from datetime import timedelta

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagedrift.app.model.alert import AlertPage
from pagedrift.app.notify import atom
from pagedrift.app.notify.alerts import close_due
from pagedrift.app.notify.message import AlertBlock, compose
from pagedrift.app.store import watches
from pagedrift.app.store.queries import AlertSummary
from tests.app.notify.changed_watches import BASE, LATER, NOW, add, change

URL, SITE = f"{BASE}/feed/token/all.atom", f"{BASE}/"
ATOM = f"{{{atom.NAMESPACE}}}"


def read(store, **more):
    return atom.answer(store, url=URL, site=SITE, **more)


def entries(store, **more):
    return feedparser.parse(read(store, **more).body).entries


def tell(store, number, **more):
    for at in range(number):
        moment = NOW + timedelta(hours=at)
        change(store, add(store, f"page-{at}", **more), signature=f"s{at}", title=f"news {at}", now=moment)
        close_due(store, moment + timedelta(minutes=20), BASE)


def valid(body: bytes) -> None:
    """Hold a feed against RFC 4287, sections 4.1.1 and 4.1.2."""
    root = ET.fromstring(body)
    assert root.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(root.findall(f"{ATOM}{name}")) == 1
        assert root.findtext(f"{ATOM}{name}")
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    assert len(root.findall(f"{ATOM}link[@rel='self']")) == 1
    identities = [entry.findtext(f"{ATOM}id") for entry in root.findall(f"{ATOM}entry")]
    assert len(set(identities)) == len(identities)
    for entry in root.findall(f"{ATOM}entry"):
        for name in ("id", "title", "updated", "content"):
            assert len(entry.findall(f"{ATOM}{name}")) == 1
        assert entry.find(f"{ATOM}content").get("type") == "html"
        assert len(entry.findall(f"{ATOM}link[@rel='alternate']")) == 1


def test_there_is_one_entry_for_each_story_with_what_was_told(any_store):
    tell(any_store, 3)
    body = read(any_store).body
    valid(body)
    parsed = feedparser.parse(body)
    assert not parsed.bozo
    assert [entry.title for entry in parsed.entries] == [f"Important: news {at} · page-{at}" for at in (2, 1, 0)]
    first = parsed.entries[0]
    assert first.id.startswith("urn:uuid:")
    assert first.link == f"{BASE}/change/3"
    assert "29" in first.content[0].value
    assert "background: #dafbe1" in first.content[0].value


def test_a_feed_without_entries_is_one(store):
    body = read(store).body
    valid(body)
    assert feedparser.parse(body).entries == []


def test_what_is_not_told_yet_is_not_in_it(store):
    change(store, add(store))
    assert entries(store) == []
    close_due(store, LATER, BASE)
    assert len(entries(store)) == 1


def test_an_entry_never_changes(store):
    tell(store, 1)
    before = read(store).body
    page = watches.every(store)[0]
    watches.edit(store, page.id, name="another name", group="another group")
    assert read(store).body == before
    watches.remove(store, page.id)
    assert read(store).body == before


def test_feeds_of_a_watch_and_of_a_group_hold_their_own(store):
    tell(store, 2, group="prices")
    other = add(store, "other")
    change(store, other, signature="other", title="something else", now=NOW + timedelta(days=1))
    close_due(store, NOW + timedelta(days=2), BASE)
    assert len(entries(store)) == 3
    assert len(entries(store, group="prices")) == 2
    assert [entry.title for entry in entries(store, watch=other)] == ["Important: something else · other"]
    identities = {feedparser.parse(read(store, **which).body).feed.id for which in ({}, {"group": "prices"})}
    assert len(identities) == 2


def test_all_entries_are_reached_page_by_page(store, monkeypatch):
    monkeypatch.setattr(atom, "PER_PAGE", 2)
    tell(store, 5)
    seen, before, identities = [], "", set()
    while True:
        parsed = feedparser.parse(read(store, before=before).body)
        seen += [entry.title for entry in parsed.entries]
        identities |= {entry.id for entry in parsed.entries}
        following = [link.href for link in parsed.feed.links if link.rel == "next"]
        if not following:
            break
        address, _, before = following[0].partition("?before=")
        assert address == URL
    assert seen == [f"Important: news {at} · page-{at}" for at in (4, 3, 2, 1, 0)]
    assert len(identities) == 5


def test_whoever_has_it_is_not_sent_it_again(store):
    tell(store, 1)
    first = read(store)
    assert first.status == 200
    assert read(store, headers={"if-none-match": first.headers["ETag"]}).status == 304
    assert read(store, headers={"if-none-match": f'W/"x", W/{first.headers["ETag"]}'}).status == 304
    assert read(store, headers={"if-modified-since": first.headers["Last-Modified"]}).status == 304
    assert read(store, headers={"if-modified-since": "some day"}).status == 200
    other = {"if-none-match": '"other"', "if-modified-since": first.headers["Last-Modified"]}
    assert read(store, headers=other).status == 200
    tell_again = add(store, "more")
    change(store, tell_again, signature="x", now=NOW + timedelta(days=3))
    close_due(store, NOW + timedelta(days=4), BASE)
    assert read(store, headers={"if-none-match": first.headers["ETag"]}).status == 200


@pytest.mark.parametrize("before", ["x", "-", "1e400-1", "nan-1", "1-99999999999999999999999", "inf-2"])
def test_a_place_that_is_none_is_answered_all_the_same(store, before):
    tell(store, 1)
    assert read(store, before=before).status == 200


@given(st.text(), st.text(), st.text())
def test_whatever_pages_say_a_feed_is_xml(title, old, new):
    told = compose(
        uid="u",
        verdict="changed",
        headline=title,
        pages=[AlertPage(watch="w", url="https://a.example/", name=old)],
        at=NOW,
        base_url=BASE,
        blocks=[AlertBlock(old, new)],
    )
    story = AlertSummary(
        id=1,
        uid="u",
        kind="change",
        host="",
        opened_at=NOW,
        closes_at=NOW,
        closed_at=NOW,
        title=title,
        message=told,
    )
    body = atom.feed([story], title=title or "t", identity="urn:x:y", url=URL, site=SITE)
    assert ET.fromstring(body).findtext(f"{ATOM}entry/{ATOM}content") == told["html"]
    assert not feedparser.parse(body).bozo
