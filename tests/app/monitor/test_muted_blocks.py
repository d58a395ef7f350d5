"""Ignoring one block judges the rest again, and never lowers it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.app.model.options import WatchOptions
from pagedrift.app.model.rules import Rule
from pagedrift.app.monitor.analysis import analyse

RANKS = ("noise", "minor", "important")
TEXTS = (
    "A permit for a fence costs 24 € and holds for a year.",
    "A permit for a fence costs 29 € and holds for a year.",
    "Visitors today: 1,204",
    "Visitors today: 1,377",
    "The office is closed on Monday because of the storm.",
    "In stock",
    "Sold out",
    "Updated 3 minutes ago",
    "Updated 9 minutes ago",
    "The mill wheel turns again, says the council.",
    "",
)
BLOCKS = ("fee", "office", "news", "counter", "stock")
pages = st.tuples(*(st.sampled_from(TEXTS) for _ in BLOCKS))


def page(texts: tuple[str, ...]) -> PageVersion:
    blocks = "".join(
        f"<section id={name}><p>{text}</p></section>" for name, text in zip(BLOCKS, texts, strict=True)
    )
    return PageVersion("https://city.example/", f"<main><h1>Town</h1>{blocks}</main>".encode())


def _shares(words: str, side: str) -> bool:
    return any(text and text in words and text in side for text in TEXTS)


@settings(max_examples=150, deadline=None)
@given(pages, pages, st.sampled_from(BLOCKS))
def test_what_is_left_is_never_lower_than_before(old, new, muted):
    rule = Rule(scope="all", of="", kind="block", value=f"#{muted}")
    before = analyse(page(old), page(new), WatchOptions()).edits
    after = analyse(page(old), page(new), WatchOptions(), [rule]).edits
    hidden = {text for at, name in enumerate(BLOCKS) if name == muted for text in (old[at], new[at]) if text}
    for edit in before:
        sides = {side for side in (edit.old, edit.new) if side}
        if not sides or any(text in side for text in hidden for side in sides):
            continue  # it is about the block that is ignored, or says what that says
        words = " ".join(sides)
        same = [RANKS.index(each.level) for each in after if _shares(words, each.old) or _shares(words, each.new)]
        assert same, (edit.old, edit.new)
        assert max(same) >= RANKS.index(edit.level), (edit.old, edit.new, edit.level)
