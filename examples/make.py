"""Write the archives beside this file, as a crawler would have kept them.

permits.warc.gz holds two versions of the bundled page; news.warc.gz forty articles of a made-up newspaper that was
redesigned after the thirtieth; crawls/ four crawls of a small town's site, in which most changes are noise.
"""

import io
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = Path(__file__).parent
PAGES = HERE.parent / "src" / "pagedrift" / "_demo"
URL = "https://city.example/permits"
REDESIGNED = 30
MONTHS = (8, 9, 10, 11)
SPONSORS = ("Bakery Nowak", "Harbour Cinema", "Meyer Bicycles", "Elm Books")
EVENTS = (
    ("Summer concert", "The town band plays on the meadow by the river; bring a blanket and something to drink."),
    ("Harvest fair", "Farmers of the valley sell apples, pumpkins and honey on the square, and there is dancing."),
    ("Lantern walk", "Children carry their lanterns from the school to the harbour, where a fire waits for them."),
    ("Winter market", "Forty stalls around the town hall offer toys, candles and hot soup until Christmas."),
)
AUGUST, OCTOBER = 8, 10
LAYOUT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title} – Town of Elm</title>
<link rel="stylesheet" href="/style.css?v={stamp}"></head>
<body class="page">
<header class="site"><a href="/">Town of Elm</a>
<nav><a href="/">Home</a> <a href="/fees">Fees</a> <a href="/council">Council</a>
<a href="/library">Library</a></nav></header>
<main><h1>{title}</h1>
{content}
</main>
<aside class="sponsor"><p>Sponsored by {sponsor}</p></aside>
<footer><p>Town hall, 1 Elm Street. Visitor {visitors:,}. Page made in 0.{stamp} seconds.</p></footer>
</body></html>
"""


def permits() -> Iterable[tuple[str, bytes, datetime]]:
    """Give the versions of the bundled page."""
    for name, day in (("old", 8), ("new", 15)):
        yield URL, (PAGES / f"{name}.html").read_bytes(), datetime(2026, 11, day, 9, 12, tzinfo=UTC)


def news() -> Iterable[tuple[str, bytes, datetime]]:
    """Give the articles of the newspaper, one every third day."""
    sys.path.insert(0, str(HERE.parent))
    from tests.designs import new, old

    for number in range(40):
        body = (old if number < REDESIGNED else new)(number)
        date = datetime(2026, 1, 5, 8, tzinfo=UTC) + timedelta(days=3 * number)
        yield f"https://news.example/articles/{number}", body, date


def town(month: int) -> Iterable[tuple[str, bytes, datetime]]:
    """Give the pages of the town in a month: fees rise in October, one seat of the council changes in November."""
    for number, (path, (title, paragraphs)) in enumerate(_contents(month).items()):
        stamp = 100 + month * 17 + number * 7
        made = LAYOUT.format(
            title=title,
            content="\n".join(paragraphs),
            sponsor=SPONSORS[month % 4],
            visitors=10_000 + month * 1_931 + number,
            stamp=stamp,
        )
        yield f"https://elm.example/{path}", made.encode(), datetime(2026, month, 3, 6, number, tzinfo=UTC)


def _contents(month: int) -> dict[str, tuple[str, list[str]]]:
    fence, roof = (45, 95) if month >= OCTOBER else (40, 85)
    seat = "Ingrid Aalto, housing and roads" if month > OCTOBER else "Tom Baker, schools and sport"
    rise = (
        ["<p>These fees apply from 1 October 2026, by a decision of the council.</p>"] if month >= OCTOBER else []
    )
    return {
        "": (
            "Welcome",
            [
                "<p>Elm is a town of nine thousand people by the river, with a market on Saturdays.</p>",
                "<p>The town hall is open on weekdays from nine to five, and on Thursdays until seven.</p>",
                f"<h2>{EVENTS[month - AUGUST][0]}</h2>",
                f"<p>{EVENTS[month - AUGUST][1]}</p>",
            ],
        ),
        "fees": (
            "Fees",
            [
                "<p>Whoever builds, changes or takes down a building in Elm needs a permit, and pays for it.</p>",
                "<p>Send the form with a drawing to the town hall; the answer takes three weeks at most.</p>",
                *rise,
                f"<table><tr><td>Fence</td><td>${fence}</td></tr><tr><td>Roof</td><td>${roof}</td></tr></table>",
                "<p>Sheds of less than ten square metres need no permit, and neither do repairs.</p>",
            ],
        ),
        "council": (
            "Council",
            [
                "<p>The council meets on the first Monday of the month, at seven in the town hall.</p>",
                "<p>Meetings are open to everybody; whoever wants to speak puts down their name before.</p>",
                f"<ul><li>Maria Okafor, mayor</li><li>{seat}</li><li>Jon Lind, parks and water</li></ul>",
            ],
        ),
        "library": (
            "Library",
            [
                "<p>The library is open from Monday to Friday from ten to six, on Saturday from ten to one.</p>",
                "<p>Books are lent for four weeks, films and games for two. Children read for free.</p>",
                "<p>On the first floor there are twelve desks and a quiet room that can be booked.</p>",
                "<p>What we do not have, we order from other libraries, mostly within a week.</p>",
            ],
        ),
    }


def write(path: Path, pages: Iterable[tuple[str, bytes, datetime]]) -> None:
    """Write pages as records of a WARC."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, (url, body, date) in enumerate(pages):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                http_headers=head,
                warc_headers_dict={
                    "WARC-Date": f"{date:%Y-%m-%dT%H:%M:%SZ}",
                    "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
                },
            )
            writer.write_record(record)


if __name__ == "__main__":
    write(HERE / "permits.warc.gz", permits())
    write(HERE / "news.warc.gz", news())
    (HERE / "crawls").mkdir(exist_ok=True)
    for each in MONTHS:
        write(HERE / "crawls" / f"2026-{each:02}.warc.gz", town(each))
