"""Two crawls of a small town's site, with every fate that an address can have."""

from pathlib import Path

from tests import designs
from tests.builders import record, revisit
from tests.interstitials.interstitial_pages import CONSENT, FEES

SITE = "https://town.example"
OCTOBER, NOVEMBER = "2026-10-05T08:00:00Z", "2026-11-05T08:00:00Z"
TEXTS = {
    "bees": "The bees of the orchard were counted again this spring by two pupils and their teacher, who found "
    "that half of the hives had survived the long winter without any help, and that the others need new frames.",
    "bridge": "Nobody remembers who built the stone bridge below the mill, but an old letter in the archive of the "
    "parish names a mason from the coast, his three sons, and the price of every single stone they carried here.",
    "choir": "Each Tuesday evening forty singers meet in the gymnasium and rehearse songs that their grandparents "
    "brought from the mountains, and whoever wants to join them only has to come along and bring some tea.",
}


def page(name: str, text: str, *, menu: str = "", visitors: int = 7) -> bytes:
    """Write one page of the site, all of whose pages have the same frame."""
    return (
        f"<!doctype html><html lang=en><head><title>{name} | Town</title></head><body><nav><a href=/>Home</a> "
        f"<a href=/news>News</a>{menu}</nav><main><h1>{name}</h1><p>{text}</p></main>"
        f"<footer><p>Visitors so far: {visitors}</p></footer></body></html>"
    ).encode()


def write(path: Path, *records: bytes) -> str:
    """Write an archive."""
    path.write_bytes(b"".join(records))
    return str(path)


def crawls(folder: Path) -> tuple[str, str]:
    """Write both crawls."""
    redirect = [("Location", f"{SITE}/choir-of-the-town"), ("Content-Type", "text/html")]
    old = [
        record(f"{SITE}/same", page("Same", "Nothing ever happens here.", visitors=1), date=OCTOBER),
        record(f"{SITE}/counter", page("Counter", "Only the counter moves.", visitors=8), date=OCTOBER),
        record(
            f"{SITE}/price", page("Fees", "A permit for a fence costs $40 and is valid for a year."), date=OCTOBER
        ),
        record(f"{SITE}/missing", page("Missing", TEXTS["bees"][::-1]), date=OCTOBER),
        record(f"{SITE}/left-out", page("Left out", "This page was forgotten by the second crawl."), date=OCTOBER),
        record(f"{SITE}/bees", page("Bees", TEXTS["bees"]), date=OCTOBER),
        record(f"{SITE}/bridge", page("Bridge", TEXTS["bridge"]), date=OCTOBER),
        record(f"{SITE}/choir", page("Choir", TEXTS["choir"]), date=OCTOBER),
        record(f"{SITE}/redesigned", designs.old(3), date=OCTOBER),
        record(f"{SITE}/walled", FEES.encode(), date=OCTOBER),
        record(f"{SITE}/tracked?utm_source=mail", page("Tracked", "The same, however you came."), date=OCTOBER),
        record(f"{SITE}/again", page("Again", "The second crawl only says that it saw this again."), date=OCTOBER),
        record(f"{SITE}/logo.png", b"\x89PNG", headers=[("Content-Type", "image/png")], date=OCTOBER),
    ]
    new = [
        record(f"{SITE}/same", page("Same", "Nothing ever happens here.", visitors=1), date=NOVEMBER),
        record(f"{SITE}/counter", page("Counter", "Only the counter moves.", visitors=9), date=NOVEMBER),
        record(
            f"{SITE}/price", page("Fees", "A permit for a fence costs $45 and is valid for a year."), date=NOVEMBER
        ),
        record(f"{SITE}/missing", b"<p>Not here", status="404 Not Found", date=NOVEMBER),
        record(f"{SITE}/nature/bees", page("Bees", TEXTS["bees"]), date=NOVEMBER),
        record(f"{SITE}/history/bridge", page("The old bridge", TEXTS["bridge"], visitors=99), date=NOVEMBER),
        record(f"{SITE}/choir", b"", status="301 Moved Permanently", headers=redirect, date=NOVEMBER),
        record(f"{SITE}/choir-of-the-town", page("Choir", TEXTS["choir"], visitors=3), date=NOVEMBER),
        record(f"{SITE}/redesigned", designs.new(3), date=NOVEMBER),
        record(f"{SITE}/walled", next(iter(CONSENT.values())).encode(), date=NOVEMBER),
        record(f"{SITE}/tracked?utm_source=chat", page("Tracked", "The same, however you came."), date=NOVEMBER),
        revisit(f"{SITE}/again", date=NOVEMBER, refers_to_uri=f"{SITE}/again", refers_to_date=OCTOBER),
        record(f"{SITE}/fresh", page("Fresh", "Somebody wrote a page that nobody had seen before."), date=NOVEMBER),
        record(f"{SITE}/logo.png", b"\x89PNG2", headers=[("Content-Type", "image/png")], date=NOVEMBER),
    ]
    return write(folder / "october.warc", *old), write(folder / "november.warc", *new)
