from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from pagedrift import PageVersion
from pagedrift.capture.browser import Browser, RenderError, Window
from pagedrift.facets.view import View
from tests.conftest import CHROMIUM, Beacon

CITY = "https://city.example/"
RED = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0c"
    b"IDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"
)


@pytest.fixture(scope="module")
def looking() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    with Browser() as opened:
        yield opened


def page(html: str, **more: object) -> PageVersion:
    return PageVersion(CITY, html.encode(), **more)


def texts(view: View) -> list[str]:
    return list(view.texts())


@pytest.mark.slow
def test_a_view_has_the_visible_texts_with_their_boxes(looking: Browser) -> None:
    view = looking.render(
        page("<h1>Fees</h1><p>A permit <b>costs</b><p style='display:none'>no<p style='opacity:0'>no")
    )

    assert texts(view) == ["Fees", "A permit", "costs"]
    heading, paragraph = (next(each for each in view.nodes if each.tag == tag) for tag in ("h1", "p"))
    assert heading.style.font_size == 32
    assert heading.box.bottom <= paragraph.box.y
    assert view.width == 1024


@pytest.mark.slow
def test_what_is_not_given_is_refused_and_counted(looking: Browser, beacon: Beacon) -> None:
    html = f"""<link rel=stylesheet href={beacon.url}/a.css><img src={beacon.url}/b.png><img src=/c.png>
      <script>fetch("{beacon.url}/d"); new Image().src = "{beacon.url}/e";
      try {{ new WebSocket("{beacon.url}/f".replace("http", "ws")) }} catch {{}}
      navigator.sendBeacon("{beacon.url}/g")</script>
      <iframe src={beacon.url}/h></iframe><link rel=preconnect href={beacon.url}>"""
    view = looking.render(page(html), {CITY + "c.png": ("image/png", RED)})

    assert beacon.asked == []
    assert {url.rpartition("/")[2] for url in view.missing} >= {"a.css", "b.png", "d", "e", "h"}
    assert CITY + "c.png" not in view.missing


@pytest.mark.slow
def test_a_given_style_sheet_shows_in_the_picture(looking: Browser) -> None:
    html = "<link rel=stylesheet href=/city.css><p>Fees"
    plain = looking.render(page(html))
    styled = looking.render(page(html), {CITY + "city.css": ("text/css", b"p { background: rgb(9, 9, 9) }")})

    assert plain.picture != styled.picture
    assert styled.nodes[1].style.background == "rgb(9, 9, 9)"


UNSTEADY = """<style>@keyframes s { to { margin-left: 300px } }
  i { animation: s 3s infinite alternate; display: block }</style>
  <p id=a><p id=b><p id=c><i>moving</i>
  <script>a.textContent = Math.random(); b.textContent = new Date(); let n = 0;
  setInterval(() => c.textContent = n++, 7); requestAnimationFrame(() => a.title = performance.now())</script>"""


@pytest.mark.slow
def test_two_launches_give_the_same_picture_of_an_unsteady_page(looking: Browser) -> None:
    unsteady = page(UNSTEADY, captured_at=datetime(2024, 2, 2, tzinfo=UTC))
    with Browser() as other:
        views = [looking.render(unsteady), looking.render(unsteady), other.render(unsteady)]

    assert len({view.picture for view in views}) == 1
    assert len({view.nodes for view in views}) == 1
    assert any("Feb 02 2024" in text for text in texts(views[0]))


@pytest.mark.slow
def test_a_page_that_hangs_costs_only_itself() -> None:
    if not CHROMIUM:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    with Browser(window=Window(seconds=8)) as impatient:
        with pytest.raises(RenderError, match="within 8 seconds; allow more"):
            impatient.render(page("<script>for (;;);</script>"))

        assert texts(impatient.render(page("<p>Next"))) == ["Next"]


@pytest.mark.slow
def test_a_page_cannot_lie_to_the_extraction(looking: Browser) -> None:
    lies = "JSON.stringify = () => '{}'; Element.prototype.getBoundingClientRect = () => ({}); Range = 0"
    view = looking.render(page(f"<p>True<script>{lies}</script>"))

    assert texts(view) == ["True"]


@pytest.mark.slow
def test_tall_and_deep_pages_stop_at_the_limits(looking: Browser) -> None:
    tall = looking.render(page("<div style='height:100000px'>top</div>"))
    deep = looking.render(page("<div>" * 5_000 + "deep"))
    many = looking.render(page("<b>x</b>" * 30_000))

    assert tall.height >= 100_000
    assert int.from_bytes((tall.picture or b"")[20:24]) == 6_000
    assert not deep.cut
    assert many.cut
    assert len(many.nodes) == 20_000


@pytest.mark.slow
def test_frames_of_the_page_itself_and_shadow_trees_are_seen(looking: Browser) -> None:
    html = """<iframe srcdoc="<p>inside"></iframe><x-y></x-y>
      <script>document.querySelector("x-y").attachShadow({mode: "open"}).innerHTML = "<p>shadow"</script>"""

    assert texts(looking.render(page(html))) == ["inside", "shadow"]


def test_a_browser_that_does_not_start_says_how_to_get_one() -> None:
    with Browser(executable="/bin/false") as broken, pytest.raises(RenderError, match="apt-get install chromium"):
        broken.render(page("<p>Fees"))
