"""The thousand rows of Law et al. that are seen without scrolling, to the row."""

import pytest

cv2 = pytest.importorskip("cv2", reason="pictures need an extra; pip install 'pagedrift[vision]'")
numpy = pytest.importorskip("numpy")

from pagedrift.does_it_matter.pictures import look, top_changed  # noqa: E402


def picture(dark_row: int | None = None) -> bytes:
    page = numpy.full((1200, 1024, 3), 255, numpy.uint8)
    if dark_row is not None:
        page[dark_row] = 0
    return bytes(cv2.imencode(".png", page)[1])


@pytest.mark.parametrize(("row", "is_seen"), [(0, True), (999, True), (1000, False), (1199, False)])
def test_what_differs_below_the_first_thousand_rows_is_not_seen(row: int, is_seen: bool) -> None:
    assert (top_changed(look(picture()), look(picture(row))) > 0) == is_seen
