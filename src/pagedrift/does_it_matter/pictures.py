"""How different do two pictures of a page look?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pagedrift.does_it_matter.cache import remembering
from pagedrift.does_it_matter.picture_descriptors import TOP, WIDTH, decode
from pagedrift.extras import need

_HALF: Final = (512, 500)
_NOTICED: Final = 24  # of 255, at half size: above the noise of JPEG
_BINS: Final = (8, 3, 6)  # of hue, saturation and value


@dataclass(frozen=True, eq=False)
class Look:
    """What is kept of a picture: its top at half size, and how much of it has which colour."""

    top: Any
    colours: Any


@remembering(64)
def look(picture: bytes) -> Look:
    """Describe a picture, PNG or JPEG."""
    cv2 = need("vision", "cv2")
    numpy = need("vision", "numpy")
    image = decode(picture)
    page = numpy.full((TOP, WIDTH, 3), 255, numpy.uint8)  # below a short page there is nothing but paper
    height, width = min(image.shape[0], TOP), min(image.shape[1], WIDTH)
    page[:height, :width] = image[:height, :width]
    colours = cv2.calcHist(
        [cv2.cvtColor(page, cv2.COLOR_BGR2HSV)], [0, 1, 2], None, _BINS, [0, 180, 0, 256, 0, 256]
    )
    return Look(cv2.resize(page, _HALF, interpolation=cv2.INTER_AREA), colours.ravel() / colours.sum())


def top_changed(old: Look, new: Look) -> float:
    """Give the share of the top that differs."""
    numpy = need("vision", "numpy")
    difference = numpy.abs(old.top.astype(numpy.int16) - new.top).max(axis=2)
    return float((difference > _NOTICED).mean())


def colour_distance(old: Look, new: Look) -> float:
    """Give the χ² distance of the colours, from 0 to 2."""
    both = old.colours + new.colours
    seen = both > 0
    return float((((old.colours - new.colours) ** 2)[seen] / both[seen]).sum())
