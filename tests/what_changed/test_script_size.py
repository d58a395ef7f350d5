"""A script has the size of the truth."""

import pytest

from pagedrift.facets.tree import read_tree
from pagedrift.what_changed import diff_trees, patch_tree

CARD = "<div class=card><h2>{0} permit</h2><p>Everything about a {0}.</p><a href=/{0}>More</a></div>"
THINGS = ["roof", "fence", "garage", "pool", "shed", "porch"]


def cards(*things: str) -> str:
    return "<main>" + "".join(CARD.format(thing) for thing in things) + "</main>"


def steps(old: str, new: str) -> list[str]:
    one, other = read_tree(old), read_tree(new)
    script = diff_trees(one, other)
    assert patch_tree(one, script) == other
    return [type(action).__name__ for action in script]


ROWS = [f"<tr><td>{thing}<td>${number}" for number, thing in enumerate(THINGS)]
MENU = "<nav class={0}><ul><li><a href=/{0}/1>One of {0}</a><li><a href=/{0}/2>Two of {0}</a></ul></nav>"
TEXT = "<section><h2>{0}</h2><p>All about {0}, in one long sentence that nobody else has.</section>"

EDITS = {
    "nothing": (cards(*THINGS), cards(*THINGS), []),
    "a card at the top of a list": (cards(*THINGS), cards("carport", *THINGS), ["Insert"]),
    "a card in the middle": (cards(*THINGS), cards(*THINGS[:3], "carport", *THINGS[3:]), ["Insert"]),
    "a card taken away": (cards(*THINGS), cards(*THINGS[:2], *THINGS[3:]), ["Delete"]),
    "a card moved to the end": (cards(*THINGS), cards(*THINGS[1:], THINGS[0]), ["Move"]),
    "one word": (cards(*THINGS), cards(*THINGS).replace("about a pool", "around a pool"), ["UpdateText"]),
    "one link": (cards(*THINGS), cards(*THINGS).replace("href=/pool", "href=/pools"), ["ChangeAttribute"]),
    "a section moved up": (
        "".join(TEXT.format(thing) for thing in THINGS),
        "".join(TEXT.format(thing) for thing in (*THINGS[4:5], *THINGS[:4], THINGS[5])),
        ["Move"],
    ),
    "a block wrapped": (
        "<main><p>before</p>" + TEXT.format("roof") + "</main>",
        "<main><p>before</p><div class=wide>" + TEXT.format("roof") + "</div></main>",
        ["Insert", "Move"],
    ),
    "two rows reordered": (
        f"<table>{''.join(ROWS)}</table>",
        f"<table>{''.join([*ROWS[:2], ROWS[3], ROWS[2], *ROWS[4:]])}</table>",
        ["Move"],
    ),
    "two menus swapped": (
        MENU.format("left") + "<main>content</main>" + MENU.format("right"),
        MENU.format("right") + "<main>content</main>" + MENU.format("left"),
        ["Move", "Move"],
    ),
    "an element renamed": (
        "<p>This is <b>very important indeed</b>",
        "<p>This is <strong>very important indeed</strong>",
        ["Rename"],
    ),
    "a price in a table": (
        f"<table>{''.join(ROWS)}</table>",
        f"<table>{''.join(ROWS)}</table>".replace("$3", "$30"),
        ["UpdateText"],
    ),
    "a class": ("<div class=a><p>text</div>", "<div class=b><p>text</div>", ["ChangeAttribute"]),
    "an attribute that says its own name": (
        "<input checked=checked>",
        "<input disabled=disabled>",
        ["RemoveAttribute", "AddAttribute"],
    ),
    "a paragraph after a table": (
        "<section><table><tr><td>1</table></section>",
        "<section><table><tr><td>1</table><p>New fees apply.</p></section>",
        ["Insert"],
    ),
    "a new entry in a list of the latest three": (
        "<ul><li>Minutes of the council of Monday<li>Minutes of the council of Tuesday<li>Minutes of Sunday</ul>",
        "<ul><li>Minutes of the council of Friday<li>Minutes of the council of Monday"
        "<li>Minutes of the council of Tuesday</ul>",
        ["Delete", "Insert"],
    ),
    "a row that moved up and was edited": (
        "<ul><li>Roof: $85<li>Garage: $95<li>Fence permit: $40</ul>",
        "<ul><li>Fence permit: $45<li>Roof: $85<li>Garage: $95</ul>",
        ["Move", "UpdateText"],
    ),
    "another meeting of which all but the day is the same": (
        "<ul><li>Minutes of the council of Monday<li>Minutes of the council of Tuesday"
        "<li>Minutes of the council of Sunday</ul>",
        "<ul><li>Minutes of the council of Friday<li>Minutes of the council of Monday"
        "<li>Minutes of the council of Tuesday</ul>",
        ["Delete", "Insert"],
    ),
    "an insertion and an edit": (
        cards(*THINGS),
        cards("carport", *THINGS).replace("about a fence", "around a fence"),
        ["Insert", "UpdateText"],
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_script_has_the_size_of_the_truth(edit: str) -> None:
    old, new, expected = EDITS[edit]

    assert steps(old, new) == expected


@pytest.mark.parametrize("edit", EDITS)
def test_and_so_has_the_way_back(edit: str) -> None:
    old, new, expected = EDITS[edit]

    assert len(steps(new, old)) == len(expected)


@pytest.mark.parametrize("cells", [10, 400_000_000])
def test_long_lists_are_aligned_without_a_table_of_their_product(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagedrift._kernels.match_py.CELLS", cells)
    rows = [f"<li>Permit {number}" for number in range(100)]
    changed = ["<li>First", *rows[1:40], "<li>One more", *rows[40:99], "<li>Last"]

    assert steps("".join(rows), "".join(changed)) == ["UpdateText", "Insert", "UpdateText"]
