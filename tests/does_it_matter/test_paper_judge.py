from dataclasses import replace

import pytest

from pagedrift import InputError, PageVersion
from pagedrift.does_it_matter.features import PAPER, READINGS, VISUAL, paper_features
from pagedrift.does_it_matter.judge import judge
from pagedrift.does_it_matter.model import shipped
from tests.does_it_matter.test_blocks import laid_out
from tests.does_it_matter.test_picture_descriptors import drawn, png


def seen(text: str, seed: int, engine: str = "") -> PageVersion:
    view = replace(laid_out([(text, 0, 0, 1024, 400), ("Imprint", 0, 450, 1024, 50)]), engine=engine)
    return PageVersion("https://city.example/", b"<p>", view=replace(view, picture=png(drawn(600, 1024, seed))))


SAME, OTHER = seen("The town hall is open all week", 1), seen("Sold out: all tickets for the festival", 2)


def test_the_paper_learned_from_41_figures() -> None:
    assert len(PAPER) == 41
    assert shipped("paper").features == PAPER
    assert set(paper_features(SAME.view, OTHER.view)) >= {*READINGS["paper25a"], *READINGS["paper25b"], *VISUAL}


def test_the_judge_of_the_paper_can_be_asked_by_name() -> None:
    same, other = judge(SAME, SAME, model="paper"), judge(SAME, OTHER, model="paper")

    assert same.label == "similar"
    assert other.probability > same.probability
    assert same.basis == "blocks and pictures"
    assert any("looks" in reason.text for reason in other.reasons)


def test_the_judge_of_the_paper_needs_pictures_of_one_browser() -> None:
    with pytest.raises(InputError, match="render both with one browser"):
        judge(replace(SAME, view=None), OTHER, model="paper")
    with pytest.raises(InputError, match="render both with one browser"):
        judge(seen("a", 1, "Chromium 155"), seen("a", 1, "Chromium 156"), model="paper")


def test_pictures_of_different_browsers_are_not_compared() -> None:
    found = judge(seen("a", 1, "Chromium 155"), seen("a", 2, "Chromium 156"))

    assert found.basis.startswith("source only")
    assert judge(seen("a", 1, "Chromium 156"), seen("a", 2, "")).basis.startswith("source and pictures")


def test_an_unknown_judge_is_told_with_those_there_are() -> None:
    with pytest.raises(InputError, match="use pictures, source or paper"):
        judge(SAME, OTHER, model="mine")
