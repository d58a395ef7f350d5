"""Verdicts on the demonstration site, as really served, match the table of its scenario."""

from dataclasses import replace

import pytest

from pagedrift import RedesignDetector, check
from pagedrift.app.demo.content import articles
from pagedrift.app.demo.scenario import LAST, SCENARIO, state_at
from pagedrift.capture.browser import Browser
from pagedrift.capture.feed import parse_feed
from pagedrift.capture.sitemap import parse_sitemap
from pagedrift.capture.subresources import Live
from pagedrift.what_changed.actions import Move
from tests.app.demo.conftest import Town
from tests.conftest import CHROMIUM

PAGES = ("/", "/shop/lantern", "/market-hall", "/visit", "/news")
SEEN = [(scene, path) for scene in SCENARIO for path in scene.where if not path.endswith(".xml")]


def is_itself(path: str, step: int) -> bool:
    state = state_at(step)
    return not (state.down or (state.wall and path in ("/", "/shop/lantern")))


def before(path: str, step: int) -> int:
    """The last step before at which the page was the page."""
    return next(earlier for earlier in range(step - 1, -1, -1) if is_itself(path, earlier))


@pytest.mark.parametrize("step", [0, 8, 12, 20, LAST])
@pytest.mark.parametrize("path", PAGES)
def test_what_is_new_at_every_request_does_not_matter(town: Town, path: str, step: int) -> None:
    found = check(town.page(path, step), town.page(path, step))

    assert found.judgement.label == "similar"
    assert found.same_template
    assert not found.redesigned
    assert found.changed is (path != "/market-hall")  # the one page that is the same for everybody


@pytest.mark.parametrize(
    ("scene", "path"), SEEN, ids=[f"{scene.step} {scene.happens} {path}" for scene, path in SEEN]
)
def test_the_answer_is_the_one_that_the_story_expects(town: Town, scene: object, path: str) -> None:
    old, new = town.page(path, before(path, scene.step)), town.page(path, scene.step)
    found = check(old, new)

    if scene.answer == "not the page":
        assert new.status == 503 or "consent" in new.source
        assert not found.same_template
    elif scene.answer == "flip-flop":
        earlier = town.page(path, before(path, 7))
        assert new.body == earlier.body != old.body
    elif scene.answer == "redesigned":
        assert found.redesigned
        assert not found.same_template
    else:
        assert found.judgement.label == {"matters": "dissimilar", "does not matter": "similar"}[scene.answer]
        assert found.changed
        assert found.same_template
        assert not found.redesigned


def test_the_section_that_moves_is_told_as_moved(town: Town) -> None:
    old, new = town.page("/", 7), town.page("/", 8)
    moves = [action for action in check(old, new).changes if isinstance(action, Move)]

    assert len(moves) == 1
    assert old.tree.tag(moves[0].node) == "section"
    assert sorted(old.words) != sorted(town.page("/", 13).words)


def test_the_new_entry_of_the_menu_is_the_same_change_on_all_pages(town: Town) -> None:
    for path in ("/", "/shop/lantern", "/visit", "/news", articles()[3].path, "/services/trees"):
        old, new = town.page(path, 11), town.page(path, 12)
        assert {link.url for link in new.links} - {link.url for link in old.links} >= {f"{town.site.url}/ferry"}


def test_the_redesign_is_told_within_a_few_new_articles_of_the_feed(town: Town) -> None:
    detector, seen, told = RedesignDetector(), set(), []
    for step in range(LAST + 1):
        feed = town.page("/feed.xml", step)
        for entry in parse_feed(feed).entries if feed.status == 200 else ():
            if entry.key not in seen:
                seen.add(entry.key)
                page = town.page(entry.url.removeprefix(town.site.url), step)
                detector.update(page, published_at=entry.published_at)
                told += [(step, detector.event)] if detector.redesigned else []

    assert len(seen) == len(articles()) == 34
    [(step, event)] = told
    assert event.document == 28  # the first that came out in the new design
    assert event.needed <= 4
    assert step <= 21  # within two minutes, a visit included


def test_feed_and_sitemap_begin_with_a_stream_and_grow(town: Town) -> None:
    counts = [len(parse_feed(town.page("/feed.xml", step)).entries) for step in (0, 2, LAST)]
    listed = [len(parse_sitemap(town.page("/sitemap.xml", step))[0]) for step in (0, 2, LAST)]
    dates = [entry.published_at for entry in parse_feed(town.page("/feed.xml", LAST)).entries]

    assert counts == [24, 25, 34]
    assert listed == [29, 30, 40]  # and the pages of the menu
    assert dates == sorted(set(dates))


def test_every_link_and_picture_of_the_site_is_there(town: Town) -> None:
    for step in (0, 12, LAST):
        seen, ahead = set(), ["/"]
        while ahead:
            path = ahead.pop()
            page = town.page(path, step)
            assert page.status == 200, path
            if (page.content_type or "").startswith("text/html"):
                found = {each.url for each in (*page.links, *page.resources)}
                assert all(url.startswith((town.site.url, "data:")) for url in found), "nothing from elsewhere"
                paths = {url.removeprefix(town.site.url).partition("#")[0].partition("?")[0] for url in found}
                new = {path for path in paths if path.startswith("/")} - seen
                seen |= new
                ahead += new
        assert len(seen) > 60


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_with_pictures_the_answers_are_the_same(town: Town) -> None:
    with Browser() as browser:

        def seen(path: str, step: int) -> object:
            page = town.page(path, step)
            return replace(page, view=browser.render(page, Live(town.client, page)))

        noise = check(seen("/", 1), seen("/", 1)).judgement
        price = check(seen("/shop/lantern", 3), seen("/shop/lantern", 4)).judgement
        hours = check(seen("/market-hall", 13), seen("/market-hall", 14)).judgement

    assert (noise.label, noise.basis) == ("similar", "source and pictures")
    assert (price.label, hours.label) == ("dissimilar", "dissimilar")
