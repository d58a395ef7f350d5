"""What pictures of the main part show: by their bytes where an archive has them, or by the pixels of both pages.

A picture at the same address that shows something else was replaced; one at another address that shows the same was
not. Without bytes and pixels, addresses alone say which picture it is.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from pagedrift._kernels import hash_bytes
from pagedrift.does_it_matter.changes.pairing import REPLACED, PassageChange
from pagedrift.does_it_matter.picture_descriptors import decode
from pagedrift.errors import PagedriftError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pagedrift.does_it_matter.changes.passages import Passage
    from pagedrift.page import PageVersion

    Loaded = Mapping[str, tuple[str, bytes]]

MAX_PICTURES: Final = 20  # of one page that are looked at
MIN_SIDE: Final = 64  # pixels: smaller pictures are icons
_THUMBNAIL: Final = (16, 16)
_SAME: Final = 12.0  # of 255, on average: what saving or scaling a picture again changes at most
_SAME_SIZE: Final = 2.0  # pixels
_FLAT: Final = 2.0  # standard deviation of a picture that has not been loaded yet


@dataclass(frozen=True, slots=True)
class PictureContent:
    """What one picture shows."""

    key: int
    thumbnail: Any = None  # None where it cannot be decoded
    shown: tuple[float, ...] = ()  # width and height on the page, where it was cut out of a screenshot

    def shows_the_same(self, other: PictureContent) -> bool:
        """Say whether two pictures show the same, however they are saved."""
        if self.key == other.key:
            return True
        if self.thumbnail is None or other.thumbnail is None:
            return False
        return float(abs(self.thumbnail - other.thumbnail).mean()) <= _SAME


def with_pictures(
    found: Sequence[PassageChange],
    pages: tuple[PageVersion, PageVersion],
    passages: tuple[Sequence[Passage], Sequence[Passage]],
    loaded: tuple[Loaded, Loaded] | None = None,
) -> list[PassageChange]:
    """Add pictures that show something else at the same address, and leave out those that show the same at another.

    `loaded` is what both pages load, by address, as far as their archive has it.
    """
    names = [{each.words[0]: each for each in side if _counts(each)} for side in passages]
    if not all(names):
        return list(found)
    old, new = (PageContents(page, loaded[number] if loaded else None) for number, page in enumerate(pages))
    kept = [change for change in found if not _is_only_renamed(change, old, new)]
    touched = {each.words[0] for change in found for each in (change.old, change.new) if each is not None}
    for name in [name for name in names[0] if name in names[1] and name not in touched][:MAX_PICTURES]:
        before, after = names[0][name], names[1][name]
        contents = _contents((before, old), (after, new))
        if contents is not None and not contents[0].shows_the_same(contents[1]):
            sides = (_named(before, contents[0]), _named(after, contents[1]))
            kept.append(PassageChange(REPLACED, *sides))
    return kept


def _contents(*sides: tuple[Passage, PageContents]) -> tuple[PictureContent, PictureContent] | None:
    """Say what two pictures show, both by their bytes, or else both by their pixels; None where that is unknown."""
    for known in (PageContents.loaded, PageContents.seen):
        one, other = (known(page, passage) for passage, page in sides)
        if one is not None and other is not None and _is_comparable(one, other):
            return one, other
    return None


def _is_comparable(one: PictureContent, other: PictureContent) -> bool:
    """Say whether two pictures are shown in one size, if they were cut out of screenshots: layouts scale them."""
    return all(abs(mine - yours) <= _SAME_SIZE for mine, yours in zip(one.shown, other.shown, strict=False))


def _counts(passage: Passage) -> bool:
    return passage.kind == "picture" and passage.main and not passage.parts and not passage.hidden


def _named(passage: Passage, content: PictureContent) -> Passage:
    return passage._replace(words=(f"{passage.words[0]} {content.key:x}",))


def _is_only_renamed(change: PassageChange, old: PageContents, new: PageContents) -> bool:
    if change.old is None or change.new is None or not (_counts(change.old) and _counts(change.new)):
        return False
    contents = _contents((change.old, old), (change.new, new))
    return contents is not None and contents[0].shows_the_same(contents[1])


class PageContents:
    """What the pictures of one page show: as they were loaded, and as they stand in its screenshot."""

    def __init__(self, page: PageVersion, loaded: Loaded | None) -> None:
        self._page = page
        self._loaded = loaded
        self._screenshot: Any = None

    def loaded(self, passage: Passage) -> PictureContent | None:
        """Say what a picture shows by its bytes; None where they are not known."""
        if self._loaded is None:
            return None
        with suppress(KeyError, PagedriftError, OSError, ValueError):
            _, body = self._loaded[urljoin(self._page.url, passage.address)]
            return PictureContent(hash_bytes(body), _thumbnail_of(body))
        return None

    def seen(self, passage: Passage) -> PictureContent | None:
        """Say what a picture shows by the screenshot; None where it is not in it, or has not been loaded."""
        with suppress(PagedriftError):
            return self._cut(passage)
        return None

    def _cut(self, passage: Passage) -> PictureContent | None:
        view, box = self._page.view, passage.box
        if view is None or view.picture is None or box is None or min(box.width, box.height) < MIN_SIDE:
            return None
        if self._screenshot is None:
            self._screenshot = decode(view.picture)
        scale = self._screenshot.shape[1] / view.width if view.width else 1.0
        top, bottom, left, right = (
            round(scale * side) for side in (box.y, box.y + box.height, box.x, box.x + box.width)
        )
        if min(top, left) < 0 or bottom > self._screenshot.shape[0] or right > self._screenshot.shape[1]:
            return None
        cut = self._screenshot[top:bottom, left:right]
        if not cut.size or float(cut.std()) < _FLAT:
            return None
        return PictureContent(hash_bytes(cut.tobytes()), _thumbnail(cut), (box.width, box.height))


def _thumbnail_of(body: bytes) -> Any:
    """Make a thumbnail of a picture; None where it cannot be decoded."""
    with suppress(PagedriftError):
        return _thumbnail(decode(body))
    return None


def _thumbnail(image: Any) -> Any:
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    return cv2.resize(image, _THUMBNAIL, interpolation=cv2.INTER_AREA).astype(numpy.float32)
