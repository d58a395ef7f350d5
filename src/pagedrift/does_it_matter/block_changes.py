"""Which blocks of a page were added, removed, moved or changed? Vi-DIFF, on the blocks of VIPS.

After Z. Pehlivan, M. Ben Saad and S. Gançarski, Vi-DIFF: Understanding Web Pages Changes, 2010. Leaves are paired
by equal content, then by likeness; inside a pair, links, pictures and texts are compared. `unlike` is how different
a pair may be: 0.5 is ours, 0.2 is what the authors' own program uses.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pagedrift._kernels.match_py import longest_increasing
from pagedrift.does_it_matter.text_changes import jaccard_distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pagedrift.does_it_matter.blocks import BlockItem, VisualBlock

UNLIKE: Final = 0.5
_SAME_TEXT: Final = 0.5  # of the old words: below, a text is replaced, not edited
_PLACE: Final = 0.1  # how much another place counts against a pair
_MAX_UNPAIRED_LEAVES: Final = 400  # unpaired leaves on both sides; beyond, only near ones are compared
_NEAR_LEAVES: Final = 20

Deed = Literal["insert", "delete", "update", "move"]
Thing = Literal["block", "link", "image", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockChange:
    """One thing that happened to a block, or to a link, picture or text in it."""

    deed: Deed
    thing: Thing
    old: VisualBlock | None = None
    new: VisualBlock | None = None
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """What happened to the blocks of a page."""

    same_structure: bool  # every block has the place it had
    changes: tuple[BlockChange, ...]
    pairs: tuple[tuple[VisualBlock, VisualBlock], ...] = ()  # the leaves that stayed, changed or not

    def count(self, deed: Deed, *, blocks: bool = False) -> int:
        """Count what happened, anywhere or to whole blocks alone."""
        return sum(each.deed == deed and (not blocks or each.thing == "block") for each in self.changes)

    @property
    def updated_blocks(self) -> int:
        """How many blocks that stayed hold something that was updated."""
        return len({each.new.ref for each in self.changes if each.deed == "update" and each.new is not None})


def compare_blocks(old: VisualBlock, new: VisualBlock, *, unlike: float = UNLIKE) -> Delta:
    """Return what happened to the blocks of a page."""
    same = [block.ref for block in old.walk()] == [block.ref for block in new.walk()]
    before, after = list(old.leaves()), list(new.leaves())
    equal = _equal(before, after)
    used_old, used_new = {one for one, _ in equal}, {other for _, other in equal}
    left_old = [number for number in range(len(before)) if number not in used_old]
    left_new = [number for number in range(len(after)) if number not in used_new]
    alike = _alike(before, after, left_old, left_new, unlike)
    changes = [
        BlockChange(deed="move", thing="block", old=before[one], new=after[other])
        for one, other in _moved(equal, before, after)
    ]
    for one, other in alike:
        changes += _inside(before[one], after[other])
    gone, come = {one for one, _ in alike}, {other for _, other in alike}
    changes += [BlockChange(deed="delete", thing="block", old=before[one]) for one in left_old if one not in gone]
    changes += [
        BlockChange(deed="insert", thing="block", new=after[other]) for other in left_new if other not in come
    ]
    stayed = tuple((before[one], after[other]) for one, other in sorted((*equal, *alike)))
    return Delta(same, tuple(_across(changes)), stayed)


def grown(page: VisualBlock, leaves: Iterable[VisualBlock]) -> list[VisualBlock]:
    """Give the largest blocks of a page that consist of nothing but these leaves: a new section is one thing.

    >>> from pagedrift.does_it_matter.blocks import VisualBlock
    >>> from pagedrift.facets.view import Box
    >>> def block(ref, *children):
    ...     return VisualBlock(ref=ref, box=Box(0, 0, 9, 9), coherence=9, children=children)
    >>> one, two, three = map(block, ("1.1", "1.2", "1.3"))
    >>> [found.ref for found in grown(block("1", block("1.4", one, two), three), [one, two])]
    ['1.4']
    """
    wanted = {block.ref for block in leaves}
    whole: set[str] = set()
    blocks = list(page.walk())
    for block in reversed(blocks):  # children before their parents
        parts = {child.ref for child in block.children}
        if parts <= whole if parts else block.ref in wanted:
            whole.add(block.ref)
    inside = {child.ref for block in blocks if block.ref in whole for child in block.children}
    return [block for block in blocks if block.ref in whole and block.ref not in inside]


def _equal(old: Sequence[VisualBlock], new: Sequence[VisualBlock]) -> list[tuple[int, int]]:
    """Pair leaves of equal content: those in the same place first, then in order."""
    waiting: dict[str, list[int]] = defaultdict(list)
    for number, block in enumerate(old):
        waiting[block.id].append(number)
    pairs = []
    later = []
    for number, block in enumerate(new):
        same = [other for other in waiting.get(block.id, ()) if old[other].ref == block.ref]
        if same:
            waiting[block.id].remove(same[0])
            pairs.append((same[0], number))
        else:
            later.append(number)
    for number in later:
        if found := waiting.get(new[number].id):
            nearest = min(found, key=lambda other: (abs(old[other].box.y - new[number].box.y), other))
            found.remove(nearest)
            pairs.append((nearest, number))
    return sorted(pairs)


def _moved(
    pairs: Sequence[tuple[int, int]], old: Sequence[VisualBlock], new: Sequence[VisualBlock]
) -> Iterator[tuple[int, int]]:
    """Give the pairs that left their order: an inserted block shifts all others, and moves none."""
    stayed = longest_increasing([other for _, other in pairs])
    for one, other in pairs:
        if other not in stayed and old[one].ref != new[other].ref:
            yield one, other


def _alike(
    old: Sequence[VisualBlock],
    new: Sequence[VisualBlock],
    left_old: Sequence[int],
    left_new: Sequence[int],
    unlike: float,
) -> list[tuple[int, int]]:
    near = (
        _NEAR_LEAVES if min(len(left_old), len(left_new)) > _MAX_UNPAIRED_LEAVES else len(left_old) + len(left_new)
    )
    found = []
    for place, one in enumerate(left_old):
        for other in left_new[max(0, place - near) : place + near + 1]:
            distance = _distance(old[one], new[other])
            if distance <= unlike:
                found.append((distance + _PLACE * (1 - _shared_place(old[one], new[other])), one, other))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, one, other in sorted(found):
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return sorted(pairs.items())


def _distance(old: VisualBlock, new: VisualBlock) -> float:
    """Give the mean distance of links, pictures and words, of those that either block has."""
    kinds = ((old.links, new.links), (old.images, new.images), (old.text.split(), new.text.split()))
    known = [jaccard_distance(one, other) for one, other in kinds if one or other]
    return sum(known) / len(known) if known else 0.0


def _shared_place(old: VisualBlock, new: VisualBlock) -> float:
    shared = old.box.overlap(new.box)
    return shared / ((old.box.area + new.box.area - shared) or 1)


def _inside(old: VisualBlock, new: VisualBlock) -> Iterator[BlockChange]:
    """Return what happened inside a block that stayed."""
    yield from _items("link", old, new, old.links, new.links)
    yield from _items("image", old, new, old.images, new.images)
    if old.text != new.text:
        words, kept = set(old.text.split()), set(new.text.split())
        if words and len(words & kept) >= _SAME_TEXT * len(words):
            yield BlockChange(deed="update", thing="text", old=old, new=new, before=old.text, after=new.text)
        else:
            if old.text:
                yield BlockChange(deed="delete", thing="text", old=old, new=new, before=old.text)
            if new.text:
                yield BlockChange(deed="insert", thing="text", old=old, new=new, before="", after=new.text)


def _items(
    thing: Thing, old: VisualBlock, new: VisualBlock, before: Sequence[BlockItem], after: Sequence[BlockItem]
) -> Iterator[BlockChange]:
    gone = [item for item in before if item not in set(after)]
    come = [item for item in after if item not in set(before)]
    for item in come:
        twin = next((each for each in gone if each.name == item.name or each.address == item.address), None)
        if twin is None:
            yield BlockChange(
                deed="insert", thing=thing, old=old, new=new, before="", after=f"{item.name}\n{item.address}"
            )
        else:
            gone.remove(twin)
            yield BlockChange(
                deed="update",
                thing=thing,
                old=old,
                new=new,
                before=f"{twin.name}\n{twin.address}",
                after=f"{item.name}\n{item.address}",
            )
    for item in gone:
        yield BlockChange(deed="delete", thing=thing, old=old, new=new, before=f"{item.name}\n{item.address}")


def _across(changes: Sequence[BlockChange]) -> Iterator[BlockChange]:
    """Report a link or picture that left one block and came to another as moved."""
    arrived: dict[tuple[Thing, str], list[BlockChange]] = defaultdict(list)
    for each in changes:
        if each.deed == "insert" and each.thing in ("link", "image"):
            arrived[each.thing, each.after].append(each)
    moved: set[int] = set()
    found = []
    for each in changes:
        if each.deed == "delete" and (there := arrived.get((each.thing, each.before))):
            target = there.pop()
            moved |= {id(each), id(target)}
            found.append(
                BlockChange(
                    deed="move",
                    thing=each.thing,
                    old=each.old,
                    new=target.new,
                    before=each.before,
                    after=target.after,
                )
            )
    yield from (each for each in changes if id(each) not in moved)
    yield from found
