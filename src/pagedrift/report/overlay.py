"""The overlay of two pictures of a page, in which each block is compared with itself, wherever it moved.

Block by block, and in a block line by line, the old picture is put where its content stands now. What was inserted
above moves everything below, and differs in nothing: only what really looks different is marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.picture_descriptors import decode
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pagedrift.does_it_matter.block_changes import Delta
    from pagedrift.does_it_matter.blocks import VisualBlock
    from pagedrift.facets.view import Box

MAX_ROWS: Final = 16_000  # that WebP can hold
QUALITY: Final = 88
_NOTICED: Final = 28  # of 255, smoothed: above the noise of JPEG
_ALIKE: Final = 0.2  # of the ink of two lines: below, they are the same line
_SIGN: Final = (256, 6)  # what lines are compared by
_SHIFT: Final = 2  # rows by which a line may sit higher or lower
_INK: Final = 56  # of 255: rows with less contrast are empty, but for what JPEG left there
_PAPER: Final = 245
_MARGIN: Final = 3  # rows around a block: letters reach out of their boxes
_GAP: Final = 3  # rows between two lines, at least
_SHARED: Final = 0.3  # of a block that came: what went from there is compared with it
GREEN, AMBER = (60, 160, 30), (0, 140, 255)  # blue, green, red


@dataclass(frozen=True, slots=True)
class Overlay:
    """Two pictures as WebP, of the size of the new one."""

    aligned: bytes  # the old page, in the places of the new one
    differences: bytes  # the new page, pale, with what looks different in colour
    changed: float  # share of the picture that looks different


def lay_over(old: bytes, new: bytes, delta: Delta, come: Sequence[VisualBlock] = ()) -> Overlay:
    """Lay an old picture over a new one by their blocks; `come` are larger ones that are new as a whole."""
    cv2, numpy = need("vision", "cv2"), need("vision", "numpy")
    before, after = decode(old)[:MAX_ROWS], decode(new)[:MAX_ROWS]
    aligned = after.copy()  # what is between the blocks is not compared
    changed, came = numpy.zeros(after.shape[:2], bool), numpy.zeros(after.shape[:2], bool)
    for each in [*come, *whole_blocks(delta, "insert")]:
        came[_part(each.box, came)] = True
    for one, other in [*delta.pairs, *_replaced(delta)]:
        source, target = before[_part(one.box, before)], _part(other.box, after)
        if source.size and after[target].size:
            placed, fresh = _by_lines(cv2, numpy, source, after[target])
            aligned[target] = placed
            came[target] = fresh
            changed[target] |= _differs(cv2, numpy, placed, after[target]) & ~fresh
    aligned[came] = _hatched(numpy, after.shape[:2])[came]
    seen = _painted(cv2, numpy, after, changed, came)
    return Overlay(webp(aligned), webp(seen), float((changed | came).mean()))


def whole_blocks(delta: Delta, deed: str) -> list[VisualBlock]:
    """Give the blocks that came, or those that went."""
    whole = [each for each in delta.changes if each.deed == deed and each.thing == "block"]
    return [block for each in whole if (block := each.new if deed == "insert" else each.old)]


def _replaced(delta: Delta) -> Iterator[tuple[VisualBlock, VisualBlock]]:
    """Pair blocks that came with those that went from the same place: some of their lines may have stayed."""
    gone = whole_blocks(delta, "delete")
    for new in sorted(whole_blocks(delta, "insert"), key=lambda block: -block.box.area):
        shared = [(old.box.overlap(new.box), number) for number, old in enumerate(gone)]
        most, number = max(shared, default=(0.0, 0))
        if most > _SHARED * new.box.area:
            yield gone.pop(number), new


def webp(image: Any) -> bytes:
    """Write a picture so that text stays sharp in few bytes."""
    cv2 = need("vision", "cv2")
    written: bytes = cv2.imencode(".webp", image[:MAX_ROWS], [cv2.IMWRITE_WEBP_QUALITY, QUALITY])[1].tobytes()
    return written


def _part(box: Box, image: Any) -> tuple[slice, slice]:
    """Give the rows and columns of a box that are in a picture."""
    height, width = image.shape[:2]
    top, left = max(0, round(box.y) - _MARGIN), max(0, round(box.x))
    bottom, right = max(round(box.bottom) + _MARGIN, top), max(round(box.right), left)
    return slice(min(top, height), min(bottom, height)), slice(min(left, width), min(right, width))


def _hatched(numpy: Any, shape: tuple[int, int]) -> Any:
    """Draw where the old page has nothing."""
    rows, columns = numpy.ogrid[: shape[0], : shape[1]]
    lines = ((rows + columns) % 12) < 2  # noqa: PLR2004 - thin lines
    return numpy.where(lines, 215, _PAPER).astype(numpy.uint8)[..., None].repeat(3, axis=2)


def _by_lines(cv2: Any, numpy: Any, old: Any, new: Any) -> tuple[Any, Any]:
    """Put the lines of an old block where they stand in the new one; return which parts of that are new."""
    placed, fresh = _resized(numpy, old, new), numpy.zeros(new.shape[:2], bool)
    if old.shape == new.shape and not _differs(cv2, numpy, old, new).any():
        return placed, fresh
    before, after = list(_lines(numpy, old)), list(_lines(numpy, new))
    names = _named(cv2, numpy, [old[one] for one in before] + [new[one] for one in after])
    placed[:] = new  # rows without ink: nothing is compared there
    for one, other in _paired(names[: len(before)], names[len(before) :]):
        rows = after[other]
        if one is None:
            fresh[rows] = True
        else:
            placed[rows] = _snapped(numpy, old[before[one]], new[rows])
    return placed, fresh


def _resized(numpy: Any, old: Any, new: Any) -> Any:
    """Give an old part the size of the new one, cut off or filled up with paper."""
    sized = numpy.full_like(new, 255)
    height, width = min(old.shape[0], new.shape[0]), min(old.shape[1], new.shape[1])
    sized[:height, :width] = old[:height, :width]
    return sized


def _snapped(numpy: Any, old: Any, new: Any) -> Any:
    """Lay an old line on a new one, a row higher or lower if it fits better."""
    tried = []
    for shift in range(-_SHIFT, _SHIFT + 1):
        moved = numpy.roll(_resized(numpy, old, new), shift, axis=0)
        tried.append((int(numpy.abs(moved.astype(numpy.int16) - new).sum()), abs(shift), shift, moved))
    return min(tried, key=lambda each: each[:3])[3]


def _lines(numpy: Any, image: Any) -> Iterator[slice]:
    """Give the stretches of rows in which there is anything to see: lines of text, pictures, rules."""
    ink = (image.max(axis=1).astype(int) - image.min(axis=1)).max(axis=1) > _INK
    ink = numpy.convolve(ink, numpy.ones(2 * _GAP - 1, int), "same") > 0 if len(ink) >= 2 * _GAP else ink
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate(([False], ink, [False])).astype(numpy.int8)))
    yield from (slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True))


def _named(cv2: Any, numpy: Any, lines: Sequence[Any]) -> list[int]:
    """Give lines that look the same the same number."""
    heights, inks = numpy.zeros(len(lines), int), numpy.zeros(len(lines))
    signs = numpy.zeros((len(lines), _SIGN[0] * _SIGN[1]), numpy.float32)
    names: list[int] = []
    known = 0
    for line in lines:
        grey = cv2.cvtColor(line, cv2.COLOR_BGR2GRAY)
        character = cv2.resize(grey, _SIGN, interpolation=cv2.INTER_AREA).astype(numpy.float32).ravel()
        character = numpy.abs(character - numpy.median(character))  # against the paper it stands on
        ink = float(character.sum()) + 1
        near = numpy.flatnonzero(numpy.abs(heights[:known] - line.shape[0]) <= _SHIFT)
        if len(near):
            apart = numpy.abs(signs[near] - character).sum(axis=1) / (inks[near] + ink)
            near = near[apart < _ALIKE][:1]
        if not len(near):
            heights[known], inks[known], signs[known] = line.shape[0], ink, character
            known += 1
        names.append(int(near[0]) if len(near) else known - 1)
    return names


def _paired(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int | None, int]]:
    """Pair each new line with an old one: the same in order, and between them, where as many went as came."""
    from rapidfuzz.distance import Indel

    gone: list[int] = []
    come: list[int] = []
    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            yield from _between(gone, come)
            gone, come = [], []
            shift = step.src_start - step.dest_start
            yield from ((line + shift, line) for line in range(step.dest_start, step.dest_end))
        gone += range(step.src_start, step.src_end) if step.tag == "delete" else ()
        come += range(step.dest_start, step.dest_end) if step.tag == "insert" else ()
    yield from _between(gone, come)


def _between(gone: list[int], come: list[int]) -> Iterator[tuple[int | None, int]]:
    yield from zip(gone if len(gone) == len(come) else [None] * len(come), come, strict=True)


def _differs(cv2: Any, numpy: Any, old: Any, new: Any) -> Any:
    """Return which pixels look different."""
    smooth = [cv2.blur(image, (2, 2)).astype(numpy.int16) for image in (old, new)]
    return numpy.abs(smooth[0] - smooth[1]).max(axis=2) > _NOTICED


def _painted(cv2: Any, numpy: Any, image: Any, changed: Any, came: Any) -> Any:
    """Make a page pale, and what is different on it not."""
    pale = (255 - (255 - cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(numpy.int16)) * 0.35).astype(numpy.uint8)
    seen = pale[..., None].repeat(3, axis=2)
    near = cv2.dilate(changed.astype(numpy.uint8), numpy.ones((5, 5), numpy.uint8)).astype(bool)
    for mask, colour in ((near, AMBER), (came, GREEN)):
        tint = image[mask] * 0.7 + numpy.array(colour) * 0.3
        seen[mask] = tint.astype(numpy.uint8)
    return seen
