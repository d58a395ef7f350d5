from math import atan2, exp, hypot, pi, sqrt

import cv2
import numpy
import pytest

from pagedrift import InputError
from pagedrift.does_it_matter import picture_descriptors
from pagedrift.does_it_matter.codebook import codebooks, describe, from_bytes, visual_features
from pagedrift.does_it_matter.picture_descriptors import COLOURS, EDGES, colours, decode, edges


def drawn(height: int = 240, width: int = 320, seed: int = 1) -> numpy.ndarray:
    """A picture of boxes and letters, as pages have."""
    chance = numpy.random.default_rng(seed)
    image = numpy.full((height, width, 3), 255, numpy.uint8)
    for _ in range(max(3, height * width // 4000)):
        x, y = int(chance.integers(width)), int(chance.integers(height))
        colour = [int(each) for each in chance.integers(0, 255, 3)]
        cv2.rectangle(image, (x, y), (x + int(chance.integers(60)), y + int(chance.integers(30))), colour, -1)
        cv2.putText(image, "Fees", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour)
    return image


def png(image: numpy.ndarray) -> bytes:
    return cv2.imencode(".png", image)[1].tobytes()


def joined(strips: object) -> tuple[numpy.ndarray, numpy.ndarray]:
    return tuple(map(numpy.concatenate, zip(*strips, strict=True)))


def plain_descriptor(grey: numpy.ndarray, top: int, left: int, cell: int = 3) -> numpy.ndarray:
    """The descriptor by its definition, one pixel after the other."""
    values, (height, width) = grey.astype(float), grey.shape
    found = numpy.zeros((4, 4, 8))
    bell = [numpy.mean([exp(-(((i * 32 + k + 0.5) / 32 - 2) ** 2) / 8) for k in range(32)]) for i in range(4)]
    for i, j in numpy.ndindex(4, 4):
        for dy, dx in numpy.ndindex(2 * cell - 1, 2 * cell - 1):
            dy, dx = dy - cell + 1, dx - cell + 1  # noqa: PLW2901
            y, x = min(max(top + i * cell + dy, 0), height - 1), min(max(left + j * cell + dx, 0), width - 1)
            down = (values[min(y + 1, height - 1), x] - values[max(y - 1, 0), x]) / 2
            across = (values[y, min(x + 1, width - 1)] - values[y, max(x - 1, 0)]) / 2
            place = atan2(down, across) / (2 * pi) * 8 % 8
            share = (cell - abs(dy)) * (cell - abs(dx)) / cell**2 * hypot(down, across) * bell[i] * bell[j]
            found[i, j, int(place) % 8] += share * (1 - place % 1)
            found[i, j, (int(place) + 1) % 8] += share * (place % 1)
    length = numpy.linalg.norm(found)
    if length <= 1:
        return numpy.zeros(EDGES)
    clipped = numpy.minimum(found.ravel() / length, 0.2)
    return clipped / numpy.linalg.norm(clipped)


def test_descriptors_are_those_of_the_definition() -> None:
    image = drawn(70, 80)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    _, found = joined(edges(image))
    across = len(range(0, 80 - 9, 6))

    assert len(found) == across * len(range(0, 70 - 9, 6))
    for number, descriptor in enumerate(found):
        expected = plain_descriptor(grey, number // across * 6, number % across * 6)
        assert expected @ descriptor > 0.9999 or not (expected.any() or descriptor.any())


def test_with_cells_of_four_pixels_on_a_smoothed_picture_descriptors_are_nearly_those_of_opencv() -> None:
    grey = cv2.cvtColor(drawn(400, 400), cv2.COLOR_BGR2GRAY)
    smooth = cv2.GaussianBlur(grey, (0, 0), sqrt(1.6**2 - 0.5**2))
    _, ours = joined(edges(cv2.cvtColor(smooth, cv2.COLOR_GRAY2BGR), cell=4))
    places = [(x + 6.0, y + 6.0) for y in range(0, 388, 6) for x in range(0, 388, 6)]
    points = [cv2.KeyPoint(x, y, 8 / 3, 0.0, 1.0, 0) for x, y in places]
    theirs = cv2.SIFT.create().compute(grey, points)[1].reshape(-1, 16, 8)
    theirs = theirs[:, :, [0, 7, 6, 5, 4, 3, 2, 1]].reshape(-1, EDGES)  # their directions turn the other way
    theirs /= numpy.maximum(numpy.linalg.norm(theirs, axis=1, keepdims=True), 1e-9)
    clear = ours.any(axis=1)

    assert len(points) == len(ours)
    assert (ours * theirs).sum(axis=1)[clear].mean() > 0.985


def test_strips_give_the_same_as_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    image = drawn(700, 130)
    pieces = [joined(edges(image)), joined(colours(image))]
    monkeypatch.setattr(picture_descriptors, "_STRIP", 10_000)
    monkeypatch.setattr(picture_descriptors, "_PATCHES", 10_000)

    for (ends, found), (whole_ends, whole) in zip(
        pieces, [joined(edges(image)), joined(colours(image))], strict=True
    ):
        assert numpy.array_equal(ends, whole_ends)
        assert numpy.array_equal(found, whole)


def test_colours_are_counted_patch_by_patch() -> None:
    image = numpy.zeros((24, 24, 3), numpy.uint8)
    image[:12, :6] = 255
    ends, found = joined(colours(image))

    assert ends.tolist() == [12, 12, 24, 24]
    assert found.shape == (4, COLOURS)
    assert sorted(found[0][found[0] > 0]) == [0.5, 0.5]
    assert (found[1:, 0] == 1).all()


@pytest.mark.parametrize("size", [(1, 1), (5, 900), (900, 5), (9, 9), (12, 12)])
def test_tiny_pictures_are_described(size: tuple[int, int]) -> None:
    tiny, large = (describe(png(image)) for image in (numpy.zeros((*size, 3), numpy.uint8), drawn()))

    assert set(visual_features(tiny, tiny).values()) == {0.0}
    assert all(0 < value <= 2 for value in visual_features(tiny, large).values())


def test_the_distance_of_a_picture_to_itself_is_nothing_and_distances_are_symmetric() -> None:
    one, other = describe(png(drawn(seed=1))), describe(png(drawn(seed=2)))

    assert set(visual_features(one, one).values()) == {0.0}
    assert visual_features(one, other) == pytest.approx(visual_features(other, one))
    assert min(visual_features(one, other).values()) > 0


@pytest.mark.parametrize("kind", ["sift", "color"])
@pytest.mark.parametrize("size", [100, 200])
def test_every_descriptor_is_the_word_it_is_nearest_to(kind: str, size: int) -> None:
    image = drawn(120, 120)
    found = describe(png(image)).bags[kind, size, "whole"]
    words = codebooks()[kind, size]
    expected = numpy.zeros(size + 1)
    for descriptor in joined((edges if kind == "sift" else colours)(image))[1]:
        expected[size if not descriptor.any() else ((words - descriptor) ** 2).sum(axis=1).argmin()] += 1

    assert numpy.abs(found - expected).sum() <= 2  # rounding may decide where two words are as near


def test_the_top_of_a_page_is_its_first_thousand_rows() -> None:
    image = drawn(1400, 60)
    lower = image.copy()
    lower[1003:] = 0  # what stands at the edge looks three pixels further
    found = visual_features(describe(png(image)), describe(png(lower)))

    assert all((value == 0) == (".top." in name) for name, value in found.items())


def test_equal_pictures_are_described_once_and_the_picture_is_not_held() -> None:
    picture = png(drawn(seed=3))

    assert describe(picture) is describe(bytes(bytearray(picture)))
    assert not any(isinstance(part, bytes) and len(part) > 100 for key in describe.known for part in key)


def test_a_description_can_be_kept() -> None:
    one = describe(png(drawn()))
    kept = one.to_bytes()

    assert len(kept) < 6_000
    assert set(visual_features(one, from_bytes(kept)).values()) == {0.0}
    with pytest.raises(InputError, match="describe the picture again"):
        from_bytes(kept[:4] + bytes(8) + kept[12:])  # of other vocabularies
    with pytest.raises(InputError, match="describe the picture again"):
        from_bytes(kept[:-1])


def test_descriptions_of_different_grids_are_not_compared() -> None:
    picture = png(drawn())

    with pytest.raises(InputError, match="use one for both"):
        visual_features(describe(picture), describe(picture, step=12))


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked() -> None:
    bomb = bytearray(png(drawn(20, 20)))
    bomb[16:24] = (60_000).to_bytes(4) * 2

    with pytest.raises(InputError, match="render the page again"):
        decode(bytes(bomb))


@pytest.mark.slow
def test_memory_stays_bounded_on_a_very_tall_page() -> None:
    import resource

    tall = png(drawn(20_000, 1024))
    decode(tall)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    describe(tall)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # KB; the picture alone has 61 MB
