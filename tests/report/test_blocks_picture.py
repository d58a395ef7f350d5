from pathlib import Path

import cv2
import numpy
import pytest

from pagedrift import InputError
from pagedrift.does_it_matter.blocks import VisualBlock
from pagedrift.facets.view import Box
from pagedrift.report.blocks_picture import check, draw

PAPER = cv2.imencode(".png", numpy.full((200, 300, 3), 255, numpy.uint8))[1].tobytes()


def test_leaves_are_drawn_over_the_picture(tmp_path: Path) -> None:
    leaf, below = (
        VisualBlock(ref="1.1", box=Box(20, 30, 100, 50), coherence=9),
        VisualBlock(ref="1.2", box=Box(20, 900, 100, 50), coherence=9),
    )
    left = draw(
        PAPER,
        VisualBlock(ref="1", box=Box(0, 0, 300, 1000), coherence=1, children=(leaf, below)),
        tmp_path / "blocks.png",
    )
    drawn = cv2.imread(str(tmp_path / "blocks.png"))

    assert left == 1
    assert drawn.shape == (200, 300, 3)
    assert (drawn[60, 20] != 255).any()
    assert (drawn[60, 60] == 255).all()


def test_only_pictures_in_folders_that_exist_are_written(tmp_path: Path) -> None:
    check(tmp_path / "blocks.png")
    with pytest.raises(InputError, match=r"ends with .png"):
        check(tmp_path / "blocks.jpg")
    with pytest.raises(InputError, match="make it first"):
        check(tmp_path / "none" / "blocks.png")
