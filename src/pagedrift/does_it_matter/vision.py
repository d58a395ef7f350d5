"""What does a picture of a page consist of? Edges and colours on a grid, as in Law et al. 2012.

A SIFT descriptor stands at every sixth pixel, upright and at one scale: four by four cells of three pixels, eight
directions of the gradient in each. A colour descriptor is the HSV histogram of a patch of twelve by twelve pixels.
Pictures are read in strips, so that memory does not grow with the height of the page.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH: Final = 1_024
WHOLE: Final = 6_000  # rows; more of a page is not looked at
TOP: Final = 1_000  # rows that are seen without scrolling: Law 2012, § 2.1
STEP: Final = 6  # pixels between two descriptors: Law 2012, § 4
PATCH: Final = 12  # pixels: Law 2012, § 4
_CELL: Final = 3  # pixels; the paper names the program it used, not its scale
_CELLS: Final = 4
_DIRECTIONS: Final = 8
_HUES, _SATURATIONS, _VALUES = 8, 3, 6
COLOURS: Final = _HUES * _SATURATIONS * _VALUES
EDGES: Final = _CELLS * _CELLS * _DIRECTIONS
_CLIP: Final = 0.2  # Lowe 2004: no gradient may outweigh the others
_FLAT: Final = 1.0  # grey levels: below, there is no edge to describe
_STRIP: Final = 48  # rows of descriptors


def decode(picture: bytes) -> Any:
    """Read a picture, PNG or JPEG, as rows of blue, green and red."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    image = cv2.imdecode(numpy.frombuffer(picture, numpy.uint8), cv2.IMREAD_COLOR) if picture else None
    if image is None:
        raise InputError("this picture is neither PNG nor JPEG, or is damaged; render the page again")
    return image


def edges(image: Any, *, step: int = STEP) -> Iterator[tuple[Any, Any]]:
    """Give SIFT descriptors strip by strip: where each ends, in rows, and its numbers; flat ones are all zero."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    reach = _CELL * (_CELLS - 1)
    tops = range(0, grey.shape[0] - reach, step)
    lefts = numpy.arange(0, grey.shape[1] - reach, step)
    if not len(lefts):
        return
    for first in range(0, len(tops), _STRIP):
        rows = numpy.array(tops[first : first + _STRIP])
        # One more pixel for the gradient and two for the filter, or its replica at the border of the picture.
        above, below = max(0, rows[0] - _CELL), min(grey.shape[0], rows[-1] + reach + _CELL + 1)
        cells = _smooth(_gradients(grey[above:below]))
        yield rows.repeat(len(lefts)) + reach + 1, _descriptors(cells, rows - above, lefts)


def colours(image: Any) -> tuple[Any, Any]:
    """Give the colour descriptors: where each ends, in rows, and its numbers."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    down, across = image.shape[0] // PATCH, image.shape[1] // PATCH
    if not down or not across:
        return numpy.zeros(0, int), numpy.zeros((0, COLOURS), numpy.float32)
    hsv = cv2.cvtColor(image[: down * PATCH, : across * PATCH], cv2.COLOR_BGR2HSV)
    hue, saturation, value = (hsv[:, :, channel].astype(numpy.int32) for channel in range(3))
    strength = saturation * _SATURATIONS >> 8
    tint = numpy.where(strength > 0, hue * _HUES // 180, 0)  # the hue of grey is noise
    bins = (tint * _SATURATIONS + strength) * _VALUES + (value * _VALUES >> 8)
    patch = numpy.arange(down).repeat(PATCH)[:, None] * across + numpy.arange(across).repeat(PATCH)
    counts = numpy.bincount((patch * COLOURS + bins).ravel(), minlength=down * across * COLOURS)
    ends = (numpy.arange(down).repeat(across) + 1) * PATCH
    return ends, (counts.reshape(-1, COLOURS) / PATCH**2).astype(numpy.float32)


@cache
def _directions() -> Any:
    """Give, for every gradient there can be, how much of it goes into each direction."""
    numpy = need("vision", "numpy")
    down, across = numpy.mgrid[-255:256, -255:256].astype(numpy.float32) / 2
    place = numpy.arctan2(down, across) / (2 * numpy.pi) * _DIRECTIONS % _DIRECTIONS
    lower = place.astype(int) % _DIRECTIONS
    share = (place - numpy.floor(place)).astype(numpy.float32)
    length = numpy.hypot(down, across)
    table = numpy.zeros((511, 511, _DIRECTIONS), numpy.float32)
    numpy.put_along_axis(table, lower[:, :, None], ((1 - share) * length)[:, :, None], axis=2)
    further = ((lower + 1) % _DIRECTIONS)[:, :, None]
    numpy.put_along_axis(table, further, (share * length)[:, :, None], axis=2)
    return table.reshape(-1, _DIRECTIONS)


def _gradients(grey: Any) -> Any:
    """Give the gradient of each pixel, parted into eight directions."""
    numpy = need("vision", "numpy")
    wide = numpy.pad(grey, 1, mode="edge").astype(numpy.int32)
    across = wide[1:-1, 2:] - wide[1:-1, :-2]
    down = wide[2:, 1:-1] - wide[:-2, 1:-1]
    return _directions()[(down + 255) * 511 + across + 255]


def _smooth(gradients: Any) -> Any:
    """Add up the gradients around each pixel, less of those that are farther away: one cell at every place."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    tent = numpy.array([1, 2, 3, 2, 1], numpy.float32) / _CELL
    return cv2.sepFilter2D(gradients, -1, tent, tent, borderType=cv2.BORDER_REPLICATE)


@cache
def _cell_weights() -> Any:
    """Give what each cell counts: the mean of a Gaussian two cells wide over the cell."""
    numpy = need("vision", "numpy")
    places = (numpy.arange(_CELLS * 32) + 0.5) / 32 - _CELLS / 2
    line = numpy.exp(-(places**2) / (2 * 2.0**2)).reshape(_CELLS, 32).mean(axis=1)
    return numpy.outer(line, line).astype(numpy.float32)[None, :, :, None]


def _descriptors(cells: Any, rows: Any, lefts: Any) -> Any:
    """Take four by four cells at every place of the grid, and make them independent of contrast."""
    numpy = need("vision", "numpy")
    offsets = numpy.arange(_CELLS) * _CELL
    down, across = rows[:, None] + offsets, lefts[:, None] + offsets
    taken = cells[down[:, None, :, None], across[None, :, None, :]].reshape(-1, _CELLS, _CELLS, _DIRECTIONS)
    found = (taken * _cell_weights()).reshape(len(taken), EDGES)
    length = numpy.linalg.norm(found, axis=1, keepdims=True)
    found = numpy.minimum(found / numpy.maximum(length, _FLAT), _CLIP)
    found /= numpy.maximum(numpy.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    found[length[:, 0] <= _FLAT] = 0
    return found
