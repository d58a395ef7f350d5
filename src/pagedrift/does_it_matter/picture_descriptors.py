"""Which edges and colours does a picture of a page show? Descriptors on a grid, as in Law et al. 2012.

A SIFT descriptor stands at every sixth pixel, upright and at one scale: four by four cells of three pixels, eight
directions of the gradient in each. A colour descriptor is the HSV histogram of a patch of twelve by twelve pixels.
Pictures are read in strips, so that memory does not grow with the height of the page.
"""

from __future__ import annotations

from functools import cache, lru_cache
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
CELL: Final = 3  # pixels; the paper names the program it used, not its scale
_CELLS: Final = 4
_DIRECTIONS: Final = 8
_HUES, _SATURATIONS, _VALUES = 8, 3, 6
COLOURS: Final = _HUES * _SATURATIONS * _VALUES
EDGES: Final = _CELLS * _CELLS * _DIRECTIONS
_CLIP: Final = 0.2  # Lowe 2004: no gradient may outweigh the others
_FLAT: Final = 1.0  # grey levels: below, no edge to describe
_STRIP: Final = 288  # rows of pixels, whose gradients stay in the cache
_PATCHES: Final = 24  # rows of patches in a strip
_MAX_PIXELS: Final = 2**27  # of a picture: 131,000 rows of a page; reading takes three bytes for each


def decode(picture: bytes) -> Any:
    """Read a picture, PNG or JPEG, as rows of blue, green and red."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    if picture.startswith(b"\x89PNG") and _png_pixels(picture) > _MAX_PIXELS:
        raise InputError(f"this picture has more than {_MAX_PIXELS:,} pixels; render the page again, less tall")
    image = cv2.imdecode(numpy.frombuffer(picture, numpy.uint8), cv2.IMREAD_COLOR) if picture else None
    if image is None:
        raise InputError("this picture is neither PNG nor JPEG, or is damaged; render the page again")
    return image


def _png_pixels(picture: bytes) -> int:
    return int.from_bytes(picture[16:20]) * int.from_bytes(picture[20:24])


def edges(image: Any, *, step: int = STEP, cell: int = CELL) -> Iterator[tuple[Any, Any]]:
    """Give SIFT descriptors strip by strip: where each ends, in rows, and its numbers; flat ones are all zero."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    reach = cell * (_CELLS - 1)
    tops = range(0, grey.shape[0] - reach, step)
    lefts = numpy.arange(0, grey.shape[1] - reach, step)
    if not len(lefts):
        return
    many = max(1, _STRIP // step)
    for first in range(0, len(tops), many):
        rows = numpy.array(tops[first : first + many])
        # One more pixel for the gradient and two for the filter, or its replica at the border of the picture.
        above, below = max(0, rows[0] - cell), min(grey.shape[0], rows[-1] + reach + cell + 1)
        cells = _smooth(_gradients(grey[above:below]), cell)
        yield rows.repeat(len(lefts)) + reach + 1, _descriptors(cells, rows - above, lefts, cell)


def colours(image: Any) -> Iterator[tuple[Any, Any]]:
    """Give the colour descriptors strip by strip: where each ends, in rows, and its numbers."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    down, across = image.shape[0] // PATCH, image.shape[1] // PATCH
    for first in range(0, down if across else 0, _PATCHES):
        rows = min(_PATCHES, down - first)
        strip = image[first * PATCH : (first + rows) * PATCH, : across * PATCH]
        bins = _colour_bins(cv2.cvtColor(strip, cv2.COLOR_BGR2HSV))
        counts = numpy.bincount((_patches(rows, across) + bins).ravel(), minlength=rows * across * COLOURS)
        ends = (first + numpy.arange(rows).repeat(across) + 1) * PATCH
        yield ends, counts.reshape(-1, COLOURS).astype(numpy.float32) / PATCH**2


@lru_cache(maxsize=4)
def _patches(rows: int, across: int) -> Any:
    """Give the number of the first bin of the patch that each pixel is in."""
    numpy = need("vision", "numpy")
    return (numpy.arange(rows).repeat(PATCH)[:, None] * across + numpy.arange(across).repeat(PATCH)) * COLOURS


def _colour_bins(hsv: Any) -> Any:
    """Give the bin of each pixel; the hue of grey is noise and does not count."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    levels = numpy.arange(256)
    strength = levels * _SATURATIONS >> 8
    channels = (numpy.minimum(levels * _HUES // 180, _HUES - 1) * _SATURATIONS, strength, levels * _VALUES >> 8)
    table = numpy.stack(channels, axis=1).astype(numpy.uint8)[None]
    tint, strength, value = cv2.split(cv2.LUT(hsv, table))
    return (tint * (strength > 0) + strength) * numpy.uint8(_VALUES) + value


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
    return _directions().take((down + 255) * 511 + across + 255, axis=0)


def _smooth(gradients: Any, cell: int) -> Any:
    """Add up the gradients around each pixel, less of those that are farther away: one cell at every place."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    tent = (cell - numpy.abs(numpy.arange(1 - cell, cell))).astype(numpy.float32) / cell
    return cv2.sepFilter2D(gradients, -1, tent, tent, borderType=cv2.BORDER_REPLICATE)


@cache
def _cell_weights() -> Any:
    """Give what each cell counts: the mean of a Gaussian two cells wide over the cell."""
    numpy = need("vision", "numpy")
    places = (numpy.arange(_CELLS * 32) + 0.5) / 32 - _CELLS / 2
    line = numpy.exp(-(places**2) / (2 * 2.0**2)).reshape(_CELLS, 32).mean(axis=1)
    return numpy.outer(line, line).astype(numpy.float32)


def _descriptors(cells: Any, rows: Any, lefts: Any, cell: int) -> Any:
    """Take four by four cells at every place of the grid, and make them independent of contrast."""
    numpy = need("vision", "numpy")
    taken = numpy.empty((len(rows), len(lefts), _CELLS, _CELLS, _DIRECTIONS), numpy.float32)
    for down, across in numpy.ndindex(_CELLS, _CELLS):
        here = cells[_every(rows + down * cell), _every(lefts + across * cell)]
        numpy.multiply(here, _cell_weights()[down, across], out=taken[:, :, down, across])
    found = taken.reshape(-1, EDGES)
    length = numpy.sqrt(numpy.einsum("ij,ij->i", found, found))
    found /= numpy.maximum(length, _FLAT)[:, None]
    numpy.minimum(found, _CLIP, out=found)
    clipped = numpy.sqrt(numpy.einsum("ij,ij->i", found, found))
    found *= ((length > _FLAT) / numpy.maximum(clipped, 1e-9)).astype(numpy.float32)[:, None]
    return found


def _every(places: Any) -> slice:
    """Give evenly spaced places as a slice, which copies nothing."""
    step = places[1] - places[0] if len(places) > 1 else 1
    return slice(places[0], places[-1] + 1, step)
