"""A populated installation: a town's pages over some weeks, with trouble and a redesigned site."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pagedrift import PageVersion
from pagedrift.app.model.change import ChangeRecord
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.results import VersionMetadata, VisitResult
from pagedrift.app.model.watch import Watch
from pagedrift.app.monitor import visit_rates
from pagedrift.app.monitor.analysis import analyse
from pagedrift.app.monitor.decisions import decide
from pagedrift.app.notify import alerts
from pagedrift.app.settings import Settings
from pagedrift.app.store import visits, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import VersionRow, WatchRow
from pagedrift.archive.locations import Place
from pagedrift.archive.reader import page_at
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter

NOW = datetime.now(UTC).replace(microsecond=0)
HTML = "text/html; charset=utf-8"


class Lived:
    """Lets things happen to watches the way visits do, at times that are given."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self.archive = ArchiveWriter(settings.data)

    def watch(self, url: str, **more: object) -> str:
        found = watches.add(self.store, Watch(url, **more)).id
        with self.store.begin() as session:
            row = session.get(WatchRow, found)
            row.created_at, row.next_at = NOW - timedelta(days=40), NOW + timedelta(minutes=25)
        return found

    def visit(
        self,
        which: str,
        body: bytes | str | None = None,
        *,
        ago: float,  # days
        outcome: str = "",
        reason: str = "",
        kept: bool = True,
        pictures: Iterable[Attachment] = (),
        url: str = "",
    ) -> int | None:
        """Visit a page; give the number of the change, if it is one."""
        at = NOW - timedelta(days=ago)
        with self.store.read() as session:
            row = session.get(WatchRow, which)
            newest = session.get(VersionRow, row.newest_id) if row.newest_id else None
        if body is None:
            return self._record(
                VisitResult(
                    watch=which,
                    at=at,
                    outcome=outcome or "unchanged",
                    reason=reason,
                    status=200,
                    seconds=0.4,
                    kept=False,
                ),
                None,
            )
        data = body.encode() if isinstance(body, str) else body
        page = PageVersion(
            url or row.url, data, captured_at=at, content_type=HTML, status=200, headers=(("Content-Type", HTML),)
        )
        version = VersionMetadata(
            url=page.url,
            captured_at=at,
            digest=page.digest,
            mime="text/html",
            status=200,
            title=page.title or "",
            pictured=bool(pictures),
        )
        said = outcome or ("changed" if newest else "new")
        change = self._change(newest, page) if said == "changed" and newest and row.kind == "page" else None
        before = (newest.filename, newest.offset) if change else None
        seen = VisitResult(
            watch=which,
            at=at,
            outcome=said,
            reason=reason,
            status=200,
            seconds=0.6,
            kept=kept,
            version=version,
            change=change,
            compared_with=before,
        )
        place = self.archive.append(page, notes=seen.notes(), attachments=pictures).place
        return self._record(seen, place)

    def _change(self, newest: VersionRow, page: PageVersion) -> ChangeRecord:
        old = page_at(self.settings.data, Place(newest.filename, newest.offset, newest.length))
        found = analyse(old, page, WatchOptions())
        return ChangeRecord(analysis=found, decision=decide(WatchOptions(), found))

    def _record(self, seen: VisitResult, place: Place | None) -> int | None:
        with self.store.begin() as session:
            recorded = visits.record(session, seen, place)
            assert recorded is not None
            row = session.get_one(WatchRow, recorded.watch)
            failed = seen.outcome in ("trouble", "not_the_page")
            row.state = seen.outcome if failed else "fine"
            row.trouble, row.failures = (seen.reason, row.failures + 1) if failed else ("", 0)
            rate = visit_rates.Rate.from_dict(row.rate)
            mattered = seen.change is not None and seen.change.analysis.matters
            row.rate = rate.seen(40_000, changed=seen.outcome == "changed", mattered=mattered).as_dict()
            if recorded.version is not None and not failed:
                row.newest_id = recorded.version
            alerts.add_change(session, seen, recorded)
            return recorded.change

    def tell(self) -> None:
        alerts.close_due(self.store, NOW + timedelta(hours=1), "http://127.0.0.1:8710")

    def close(self) -> None:
        self.archive.close()


# --- the town --------------------------------------------------------------------------------------------------

MENU = (
    "<header><a href='/'>Town of Ardley</a><nav><a href='/fees'>Fees</a><a href='/news'>News</a>"
    "<a href='/jobs'>Jobs</a>{more}</nav></header>"
)
FOOT = "<footer><p>Town hall, 1 Market Square</p><p>Updated {minutes} minutes ago</p></footer>"


def town(title: str, inside: str, *, minutes: int = 3, menu: str = "") -> str:
    """Make a page of the town as it was before."""
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title}</title>"
        "<style>body{font-family:sans-serif}</style></head>"
        f"<body>{MENU.format(more=menu)}<main><h1>{title}</h1>{inside}</main>"
        f"{FOOT.format(minutes=minutes)}</body></html>"
    )


def redesigned(title: str, inside: str) -> str:
    """Make a page of the town as it is now."""
    return (
        f"<!DOCTYPE html><html lang=en><head><title>{title} | Ardley</title></head><body class=new><div id=app>"
        f"<div class=hero><img src=/logo.svg alt=Ardley><h2>{title}</h2></div><div class=grid><section class=card>"
        f"<article>{inside}</article></section>"
        "<aside><ul class=links><li>Pay online<li>Report a pothole</ul></aside>"
        f"</div><div class=bottom><small>Ardley</small></div></div></body></html>"
    )


FEES = (
    "<p>Fees for permits in the current year. All fees are due before work begins.</p><table><tr><th>Permit<th>Fee"
    "<tr><td>Fence<td>{fence} €<tr><td>Roof<td>{roof} €<tr><td>Extension<td>240 €"
    "<tr><td>Tree removal<td>35 €</table>"
    "<p>{note}</p>"
)


def live(lived: Lived) -> dict[str, str]:
    """Let some weeks pass; give the watches by name."""
    made = {
        "fees": lived.watch("https://ardley.example/fees", name="Permit fees", group="Town hall"),
        "news": lived.watch("https://ardley.example/news", name="News of the town", group="Town hall"),
        "jobs": lived.watch("https://ardley.example/jobs", name="", group="Town hall"),
        "terms": lived.watch("https://shop.example/legal/terms-and-conditions?lang=en", name="Terms of the shop"),
        "down": lived.watch("https://library.example/opening-hours", name="Library hours"),
        "blocked": lived.watch("https://travel.example/advice/coast", name="Travel advice"),
        "paused": lived.watch("https://weather.example/", name="Weather", paused=True),
        "fresh": lived.watch("https://fresh.example/"),
        "feed": lived.watch("https://blog.example/feed.xml", kind="feed", name="The blog", group="Reading"),
    }
    watches.set_group(lived.store, "Town hall", {"every": 1800.0, "notify_on": "important"})
    _fees(lived, made["fees"])
    _other_pages(lived, made)
    _trouble(lived, made)
    _blog(lived, made["feed"])
    lived.tell()
    return made


def _fees(lived: Lived, which: str) -> None:
    wording = "Fees are paid at the town hall."
    lived.visit(which, town("Fees", FEES.format(fence=24, roof=85, note=wording)), ago=38)
    for day in range(37, 31, -1):
        lived.visit(which, ago=day)
    lived.visit(which, town("Fees", FEES.format(fence=29, roof=85, note=wording), minutes=12), ago=31)
    lived.visit(which, ago=30)
    lived.visit(
        which, outcome="trouble", reason="the server did not answer within 30 seconds; try again later", ago=29
    )
    lived.visit(which, ago=28.5)
    lived.visit(which, town("Fees", FEES.format(fence=29, roof=85, note=wording), minutes=41), ago=27)
    lived.visit(
        which,
        "<h1>We use cookies</h1>",
        outcome="not_the_page",
        ago=26,
        reason="a consent page came instead of the page",
    )
    for day in range(25, 19, -1):
        lived.visit(which, ago=day)
    note = "From March on, fees are paid online; the counter at the town hall closes."
    lived.visit(which, town("Fees", FEES.format(fence=29, roof=95, note=note), minutes=7), ago=19)
    lived.visit(which, ago=12)
    lived.visit(which, redesigned("Fees", FEES.format(fence=29, roof=95, note=note)), ago=9)
    lived.visit(which, ago=8)
    text = redesigned("Fees", FEES.format(fence=31, roof=95, note=note + " Appointments can be made by telephone."))
    lived.visit(which, text, ago=0.2)
    lived.visit(which, ago=0.05)


def _other_pages(lived: Lived, made: dict[str, str]) -> None:
    items = [
        "The bridge reopens on Monday",
        "Market moves to the square",
        "Council meets on 4 June",
        "Pool opens early",
    ]
    for step in range(len(items)):
        listed = "".join(
            f"<article><h2>{item}</h2><p>Read more about it.</p></article>" for item in items[: step + 1][::-1]
        )
        menu = "<a href='/pool'>Pool</a>" if step == 3 else ""
        lived.visit(made["news"], town("News", listed, minutes=step, menu=menu), ago=20 - 5 * step)
    jobs = "<ul><li>Gardener<li>Clerk</ul>"
    lived.visit(made["jobs"], town("Jobs", jobs), ago=21)
    lived.visit(made["jobs"], town("Jobs", jobs, menu="<a href='/pool'>Pool</a>"), ago=4.9)
    terms = (
        "<p>" + "</p><p>".join(f"{n}. Clause {n} says what both sides have to do." for n in range(1, 12)) + "</p>"
    )
    lived.visit(made["terms"], town("Terms", terms), ago=30)
    for number in range(1, 7):
        text = terms.replace("Clause 3 says", f"Clause 3, revision {number}, says")
        lived.visit(made["terms"], town("Terms", text, minutes=number * 3), ago=30 - number * 4)


def _trouble(lived: Lived, made: dict[str, str]) -> None:
    lived.visit(made["down"], town("Library hours", "<p>Open from 9 to 17"), ago=14)
    for day in (3, 2, 1, 0.3):
        lived.visit(
            made["down"], outcome="trouble", ago=day, reason="library.example does not resolve; check the address"
        )
    lived.visit(made["blocked"], town("Advice", "<p>Roads are open"), ago=14)
    lived.visit(
        made["blocked"],
        "<h1>Are you human?</h1>",
        outcome="not_the_page",
        ago=0.4,
        reason="the site blocks visitors that are no people (status 403)",
    )
    lived.visit(made["paused"], town("Weather", "<p>Sunny"), ago=15)


def _blog(lived: Lived, which: str) -> None:
    for number in range(36):
        make = town if number < 22 else redesigned
        text = f"<p>{'A long story about the sea. ' * (3 + number % 5)}</p>"
        lived.visit(
            which,
            make(f"Story {number + 1}", text),
            ago=36 - number,
            outcome="new",
            url=f"https://blog.example/{number + 1}",
        )
    with lived.store.begin() as session:
        event = {
            "format": 1, "kind": "redesign", "document": 22, "published_at": (NOW - timedelta(days=14)).isoformat(),
            "url": "https://blog.example/23", "told_at": 27, "certainty": 0.97, "needed": 5, "selectors": [],
        }  # fmt: skip
        session.get(WatchRow, which).memory = {"events": [event]}
