import json
from collections import Counter
from pathlib import Path

import pytest
from experiments.law2012.pairs import read_pairs

from pagedrift.does_it_matter.blocks import segment
from tests.does_it_matter import golden


@pytest.mark.slow
def test_twenty_real_pages_have_the_blocks_they_had(data: Path) -> None:
    expected = json.loads(golden.FILE.read_text("utf-8"))
    found = {name: golden.told(view) for name, view in golden.chosen(data / "pairs")}

    assert len(found) == 20
    for name, leaves in found.items():
        assert leaves == expected[name], name


@pytest.mark.slow
def test_the_leaves_of_every_real_page_hold_every_visible_text_once(data: Path) -> None:
    for pair in read_pairs(data / "pairs"):
        for page in (pair.old, pair.new):
            held: Counter[str] = Counter()
            for leaf in segment(page.view).leaves():
                held.update(leaf.text.split())
                held.update(word for link in leaf.links for word in link.name.split())
            assert held == Counter(word for text in page.view.texts() for word in text.split()), pair.id
