"""Pages served in place of the watched one are recognised, and real changes are not mistaken for them."""

from pathlib import Path

import pytest

from pagedrift import PageVersion
from pagedrift.interstitials.recognition import STAYS, recognise
from tests.interstitials import interstitial_pages

URL = "https://city.example/fees"
KINDS = {
    "blocked": interstitial_pages.BLOCKED,
    "error": interstitial_pages.ERRORS,
    "consent": interstitial_pages.CONSENT,
    "login": interstitial_pages.LOGINS,
    "empty": interstitial_pages.EMPTY,
    "elsewhere": interstitial_pages.ELSEWHERE,
}
EXAMPLES = [(kind, name) for kind, pages in KINDS.items() for name in pages]


def page(html: str, *, url: str = URL, status: int = 200) -> PageVersion:
    return PageVersion(url, html.encode(), status=status)


FEES = page(interstitial_pages.FEES)


@pytest.mark.parametrize(("kind", "name"), EXAMPLES)
def test_what_stands_in_for_a_page_is_known_though_its_status_is_200(kind: str, name: str) -> None:
    found = recognise(page(KINDS[kind][name]), previous=FEES)

    assert found.kind == kind, found
    assert found.reason


@pytest.mark.parametrize(("kind", "name"), EXAMPLES)
def test_what_was_there_before_is_the_page(kind: str, name: str) -> None:
    seen = page(KINDS[kind][name])

    assert recognise(page(KINDS[kind][name] + " "), previous=seen).is_page


@pytest.mark.parametrize(("kind", "name"), EXAMPLES)
def test_what_stays_becomes_the_page_with_a_note(kind: str, name: str) -> None:
    found = recognise(page(KINDS[kind][name]), previous=FEES, in_a_row=STAYS)

    assert found.is_page
    assert "after 6 checks" in found.note


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "login"), (403, "blocked"), (404, "error"), (410, "error"), (429, "blocked"), (503, "error")],
)
def test_a_status_tells_and_never_becomes_the_page(status: int, kind: str) -> None:
    refused = page(interstitial_pages.FEES, status=status)

    assert recognise(refused, previous=FEES).kind == kind
    assert recognise(refused, previous=FEES, in_a_row=100).kind == kind


def test_a_challenge_with_status_503_is_a_block() -> None:
    challenge = page(interstitial_pages.BLOCKED["a challenge in a browser"], status=503)

    assert recognise(challenge, previous=FEES).kind == "blocked"


def test_a_page_that_always_had_an_error_status_is_the_page() -> None:
    odd = page(interstitial_pages.FEES, status=404)

    assert recognise(page(interstitial_pages.FEES.replace("$40", "$45"), status=404), previous=odd).is_page


REAL = {
    "a price": interstitial_pages.FEES.replace("$40", "$45"),
    "a rewritten page": "<title>Permit fees | City of Example</title><h1>Fees are abolished</h1><p>"
    + "All permits are free. " * 30,
    "a short farewell": "<title>City of Example</title><p>This service has ended. We thank all who used it.",
    "a product that is gone": "<title>Shed kit</title><h1>Shed kit</h1><p>This product is no longer available.",
    "one word": "<title>City of Example</title><p>Closed",
    "a picture instead of text": "<title>City of Example</title><img src=notice.png alt='Closed for the winter'>",
    "a consent banner on top": interstitial_pages.FEES.replace(
        "<header", "<div id=onetrust-banner>We use cookies <button>Accept all cookies</button></div><header"
    ),
    "a login box in the header": interstitial_pages.FEES.replace(
        "<nav", "<form><label>Log in</label><input type=password><button>Sign in</button></form><nav"
    ),
    "an article about cookies": "<title>Our cookie policy</title><h1>Cookie policy</h1><p>"
    + "This notice explains which cookies we set, what they are for and how long they are kept. " * 20,
    "an article about errors": "<title>How to design 404 pages</title><h1>How to design 404 pages</h1><p>"
    + "A page that is not found should say so, and lead back to where the reader came from. " * 20,
    "an article about robots": "<title>Are you a robot lover?</title><h1>Robots at home</h1><p>"
    + "Captchas ask whether you are a robot, and the best robots say no. " * 20,
    "a note about maintenance": interstitial_pages.FEES.replace(
        "<main>", "<main><p>The site is under maintenance on Sunday night.</p>"
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_a_real_change_is_never_swallowed(name: str) -> None:
    assert recognise(page(REAL[name]), previous=FEES).is_page


@pytest.mark.parametrize("name", [*REAL, "the page itself"])
def test_a_first_version_is_doubted_only_for_strong_signs(name: str) -> None:
    assert recognise(page({**REAL, "the page itself": interstitial_pages.FEES}[name])).is_page


@pytest.mark.parametrize("name", interstitial_pages.BLOCKED)
def test_a_block_is_known_at_the_first_visit(name: str) -> None:
    if name not in (
        "a frame of a firewall",
        "a puzzle",
        "a search engine that suspects",
        "network security",
    ):  # which say little
        assert recognise(page(interstitial_pages.BLOCKED[name])).kind == "blocked"


def test_the_error_of_a_site_in_its_own_frame_is_known_by_its_title() -> None:
    start, end = interstitial_pages.FEES.index("<main>"), interstitial_pages.FEES.index("</main>")
    missing = (
        interstitial_pages.FEES[:start]
        + "<main><h1>Page not found</h1><p>It may have moved."
        + interstitial_pages.FEES[end:]
    )
    missing = missing.replace("<title>Permit fees |", "<title>Page not found |")

    assert recognise(page(missing), previous=FEES).kind == "error"


def test_a_short_page_that_others_of_the_host_show_too_stands_for_something_else() -> None:
    notice = "<title>City</title><body class=plain><table><tr><td>{}<td><hr><p>Please come back tomorrow.</table>"
    others = [page(notice.format(name)) for name in ("News", "Contact")]

    found = recognise(page(notice.format("Fees")), previous=FEES, host_pages=others)

    assert found.kind == "elsewhere"
    assert recognise(page(notice.format("Fees")), previous=FEES, host_pages=others[:1]).is_page
    assert recognise(
        page(interstitial_pages.FEES.replace("$40", "$45")), previous=FEES, host_pages=[FEES] * 9
    ).is_page


def test_short_pages_of_a_new_design_are_no_strangers_to_each_other() -> None:
    design = "<title>City</title><body class=plain><table><tr><td><hr><p>{}</table>"
    others = [
        page(design.format(text)) for text in ("Town news of today", "Write to us any time", "Jobs at the pool")
    ]

    assert recognise(page(design.format("Fences are free now")), previous=FEES, host_pages=others).is_page


def test_a_document_that_is_no_page_is_what_it_is() -> None:
    document = PageVersion(URL, b"%PDF-1.7 access denied", content_type="application/pdf", status=200)

    assert recognise(document, previous=FEES).is_page


def test_a_page_beyond_the_limits_is_no_stand_in() -> None:
    assert recognise(page("<html>" * 20_000), previous=FEES).is_page


@pytest.mark.slow
def test_real_pages_of_real_sites_are_pages(data: Path) -> None:
    from pagedrift import read

    wrong = []
    for path in sorted((data / "streams").glob("*.warc.gz")):
        previous = None
        for version in read(path):
            found = recognise(version, previous=previous)
            if not found.is_page:
                wrong.append((version.url, found.reason))
            previous = version

    # A page named 404.html, and two slides that scripts make.
    assert len(wrong) <= 3, wrong
