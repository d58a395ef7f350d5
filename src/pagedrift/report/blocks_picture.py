"""The picture of a page with its blocks drawn on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.picture_descriptors import decode
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.does_it_matter.blocks import VisualBlock
    from pagedrift.facets.view import Box

# One after the other down the tree, also for the colour-blind: Okabe and Ito 2008, in blue, green, red.
_COLOURS: Final = ((178, 114, 0), (0, 94, 213), (115, 158, 0), (167, 121, 204), (0, 159, 230), (233, 180, 86))
_LETTERS: Final = 0.42  # size of the numbers


def check(path: Path) -> None:
    """Refuse a file that no picture can be written to, before any work is done."""
    if path.suffix.lower() != ".png":
        raise InputError(f"{path} is not a valid image name; use one that ends with .png")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path} has no folder; make it first")


def draw(picture: bytes, page: VisualBlock, path: Path) -> int:
    """Draw blocks over a picture, leaves thick and with their numbers; give how many are below it."""
    cv2 = need("vision", "cv2")
    image = decode(picture)
    below = 0
    for block in page.walk():
        if block.leaf and block.box.y >= image.shape[0]:
            below += 1
            continue
        colour = _COLOURS[block.ref.count(".") % len(_COLOURS)]
        corner, far = _corners(block.box)
        cv2.rectangle(image, corner, far, colour, 2 if block.leaf else 1)
        if block.leaf:
            _number(cv2, image, block.ref, (far[0], corner[1]), colour)
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())
    return below


def _corners(box: Box) -> tuple[tuple[int, int], tuple[int, int]]:
    return (round(box.x), round(box.y)), (round(box.right) - 1, round(box.bottom) - 1)


def _number(cv2: Any, image: Any, text: str, corner: tuple[int, int], colour: tuple[int, int, int]) -> None:
    font = cv2.FONT_HERSHEY_SIMPLEX
    (width, height), _ = cv2.getTextSize(text, font, _LETTERS, 1)
    left, top = max(0, min(corner[0], image.shape[1]) - width - 4), max(0, corner[1])  # where text seldom is
    cv2.rectangle(image, (left, top), (left + width + 4, top + height + 6), colour, -1)
    cv2.putText(image, text, (left + 2, top + height + 2), font, _LETTERS, (255, 255, 255), 1, cv2.LINE_AA)
