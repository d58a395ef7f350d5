import cv2
import numpy
import pytest

from pagedrift.does_it_matter.block_changes import BlockChange, Delta
from pagedrift.does_it_matter.blocks import VisualBlock
from pagedrift.facets.view import Box
from pagedrift.report.overlay import lay_over

WIDTH = 400


def drawn(*lines: str, height: int = 600) -> bytes:
    """Draw lines of text, 40 px each."""
    image = numpy.full((height, WIDTH, 3), 255, numpy.uint8)
    for number, line in enumerate(lines):
        cv2.putText(image, line, (10, 30 + 40 * number), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 1)
    return cv2.imencode(".png", image)[1].tobytes()


def block(ref: str, first: int, count: int) -> VisualBlock:
    return VisualBlock(ref=ref, box=Box(0, 40 * first, WIDTH, 40 * count), coherence=9)


def test_equal_pictures_differ_in_nothing() -> None:
    picture = drawn("permits", "parks")
    whole = block("1", 0, 2)

    assert lay_over(picture, picture, Delta(True, (), ((whole, whole),))).changed == 0


def test_what_moved_down_does_not_differ() -> None:
    old, new = drawn("permits", "parks"), drawn("banner", "permits", "parks")
    banner = block("1.1", 0, 1)
    delta = Delta(
        False, (BlockChange(deed="insert", thing="block", new=banner),), ((block("1", 0, 2), block("1.2", 1, 2)),)
    )
    over = lay_over(old, new, delta)
    aligned = cv2.imdecode(numpy.frombuffer(over.aligned, numpy.uint8), 1).astype(int)
    wanted = cv2.imdecode(numpy.frombuffer(new, numpy.uint8), 1).astype(int)

    assert over.changed == pytest.approx(43 / 600, abs=0.02)  # the banner alone
    assert numpy.abs(aligned - wanted)[50:].max() < 60  # the old block stands where the new one does


def test_a_line_inserted_in_a_block_moves_the_others_without_marking_them() -> None:
    old, new = drawn("permits", "parks", "schools"), drawn("permits", "elections", "parks", "schools")
    over = lay_over(old, new, Delta(False, (), ((block("1", 0, 3), block("1", 0, 4)),)))

    assert 0.02 < over.changed < 0.09  # one line of about 26 px


def test_one_word_that_differs_is_marked_alone() -> None:
    old, new = drawn("permits cost 120", "parks"), drawn("permits cost 145", "parks")
    over = lay_over(old, new, Delta(True, (), ((block("1", 0, 2), block("1", 0, 2)),)))
    seen = cv2.imdecode(numpy.frombuffer(over.differences, numpy.uint8), 1).astype(int)
    coloured = (seen.max(axis=2) - seen.min(axis=2)) > 60

    assert 0 < over.changed < 0.01
    assert coloured[:40].any()
    assert not coloured[45:].any()


def test_boxes_beyond_the_pictures_are_left_out() -> None:
    picture = drawn("permits")
    far = VisualBlock(ref="1", box=Box(-50, 5_000, 9_000, 80), coherence=9)
    odd = VisualBlock(ref="2", box=Box(390, 590, 500, 500), coherence=9)

    assert (
        lay_over(picture, drawn("x", height=90), Delta(True, (), ((far, far), (odd, far), (far, odd)))).changed == 0
    )
