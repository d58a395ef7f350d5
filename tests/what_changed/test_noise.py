import pytest

from pagedrift import PageVersion, diff
from pagedrift.errors import InputError
from pagedrift.what_changed import Noise


def left(old: str, new: str, **options: object) -> int:
    pages = (PageVersion("https://city.example/", source.encode()) for source in (old, new))
    return len(diff(*pages, noise=Noise(**options)))


@pytest.mark.parametrize(
    ("old", "new", "options", "expected"),
    [
        ("<p>a b", "<p>a  b", {}, 0),
        ("<p>a b", "<p>a  b", {"white_space": False}, 1),
        ("<p>a</p><p>b</p>", "<p>a</p>\n<p>b</p>", {}, 0),
        ("<p>a<!--x-->", "<p>a<!--y-->", {}, 1),
        ("<p>a<!--x-->", "<p>a<!--y-->", {"comments": True}, 0),
        ("<p data-id=1>a", "<p data-id=2>a", {"attributes": ("data-*",)}, 0),
        ("<p data-id=1 class=a>a", "<p class=b>a", {"attributes": ("data-*",)}, 1),
        ("<script src=a.js?v=1></script>", "<script src=a.js?v=2></script>", {}, 0),
        ("<script src=a.js?v=1></script>", "<script src=a.js?v=2></script>", {"urls": False}, 1),
        ("<img src=a.png?123>", "<img src=a.png?456>", {}, 0),
        ("<a href='/x;jsessionid=1?a=1'>x</a>", "<a href='/x;jsessionid=2?a=1'>x</a>", {}, 0),
        ("<a href=/forum?t=1>x</a>", "<a href=/forum?t=2>x</a>", {}, 1),
        ("<p>Visitor 12", "<p>Visitor 13", {"texts": (r"\d+",)}, 0),
        ("<aside>a</aside><p>a", "<aside>b<b>c</b></aside><p>b", {"selectors": ("aside",)}, 1),
        ("<p>a", "<aside>b</aside><p>a", {"selectors": ("aside", "footer")}, 0),
        ("<p>Visitor 12", "<p>Guest 13", {"texts": (r"\d+",)}, 1),
    ],
)
def test_noise_is_left_out_and_nothing_else(old: str, new: str, options: dict[str, object], expected: int) -> None:
    assert left(old, new, **options) == expected


@pytest.mark.parametrize(
    "page",
    [
        "<iframe src='https://video.example/watch?v={}'></iframe>",  # another film
        "<form action='/forum?t={}'><input></form>",
        "<link rel=canonical href='/watch?v={}'>",
        "<meta property=og:url content='https://video.example/watch?v={}'>",
        "<meta name=description content='What is new?{}'>",
    ],
)
def test_a_number_in_what_a_page_names_or_frames_is_no_cache_buster(page: str) -> None:
    assert left(page.format("a1"), page.format("b2")) == 1


@pytest.mark.parametrize(
    "page",
    [
        "<link rel='shortcut icon' href='/icon.png?v={}'>",
        "<link rel=stylesheet href='/a.css?{}'>",
        "<svg><image href='/a.png?v={}'/></svg>",
        "<meta property=og:url content='https://city.example/?sid={}'>",
        "<iframe src='/map?sid={}'></iframe>",
    ],
)
def test_what_changes_at_every_visit_does_not_count(page: str) -> None:
    assert left(page.format("a1"), page.format("b2")) == 0


def test_an_invalid_selector_is_refused() -> None:
    with pytest.raises(InputError, match="CSS"):
        left("<p>a", "<p>b", selectors=("[",))


def test_an_invalid_expression_is_refused() -> None:
    with pytest.raises(InputError, match="correct it"):
        left("<p>a", "<p>b", texts=("(",))


def test_an_expression_that_would_run_for_ever_is_cut_off() -> None:
    with pytest.raises(InputError, match="too long"):
        left("<p>" + "a" * 60 + "!", "<p>" + "a" * 60 + "?", texts=(r"(?:a|aa)+$",))


def test_selectors_that_mean_nothing_on_either_page_are_named() -> None:
    old = PageVersion("https://city.example/", b"<main><p>24</main><footer>1</footer>")
    new = PageVersion("https://city.example/", b"<main><p>25</main><aside>2</aside>")

    script = diff(old, new, noise=Noise(selectors=("footer", "aside", ".advertisment")))

    assert [action.kind for action in script] == ["text"]
    assert script.unmatched_selectors == (".advertisment",)
