"""Compaction: rewriting WARCs without what need not be kept, safe against a kill at any instant.

Each WARC alone, so that little room is needed: the new one is written next to it, unreadable still; a file in
`moves/` says where everything goes, and holds from one instant on; then the new one is made readable and the old
one removed, which the next to open the folder does where a crash came between.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO, Final

from pagedrift.archive import relocations
from pagedrift.archive.locations import Name, Place, warcs
from pagedrift.archive.reader import Stored, stored
from pagedrift.archive.record_format import information
from pagedrift.archive.record_scan import Torn, groups
from pagedrift.archive.truncation import put_aside
from pagedrift.atomic_files import flush_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHUNK: Final = 1 << 20
_HIDDEN: Final = ".new"
_MAGIC: Final = b"\x1f"  # the first byte of a WARC, written last


@dataclass(frozen=True, slots=True)
class Compaction:
    """What became of the captures and notes of a writer; those in files that were left as they are did not move."""

    moved: dict[Place, Place] = field(default_factory=dict)
    dropped: int = 0
    freed: int = 0  # bytes

    def __add__(self, other: Compaction) -> Compaction:
        return Compaction(self.moved | other.moved, self.dropped + other.dropped, self.freed + other.freed)


class CompactionPlan:
    """What is dropped, and what must stay because a capture that is kept repeats it."""

    def __init__(self, folder: Path, writer: str, keep: Callable[[Stored], bool]) -> None:
        self.folder = folder
        self.dropped: set[tuple[str, int]] = set()
        self._needed: set[tuple[str, int]] = set()
        self._seen: dict[str, int] = {}
        own = {path.name for path in warcs(folder, writer=writer)}
        for found in stored(folder):
            if found.place.filename in own and not keep(found):
                self.dropped.add(found.place[:2])
                self._seen[found.place.filename] = found.end
            else:
                self._note(found)
        names = {filename for filename, _ in self.dropped - self._needed}
        self.files = [folder / "warc" / name for name in sorted(names, key=lambda name: (Name.read(name), name))]

    def look_again(self) -> None:
        """Take note of what was written since."""
        for found in stored(self.folder, after=self._seen):
            self._note(found)

    def drops(self, name: str, offset: int) -> bool:
        """Return whether the capture at a place goes."""
        return (name, offset) in self.dropped and (name, offset) not in self._needed

    def needed(self) -> int:
        """Count what must stay."""
        return len(self._needed)

    def _note(self, found: Stored) -> None:
        self._seen[found.place.filename] = found.end
        if found.repeats is not None:
            self._needed.add(found.repeats[:2])


def rewrite(folder: Path, old: Path, plan: CompactionPlan, listing: Callable[[Path], None]) -> Compaction:
    """Rewrite one WARC."""
    name = _next(Name.read(old.name))
    new = old.with_name(str(name))
    while True:
        done = _copy(folder, old, new, plan)
        relocations.begin(folder, old.name, new.name, [(was.offset, *now[1:]) for was, now in done.moved.items()])
        known = plan.needed()
        plan.look_again()  # whoever repeats something from here on sees that it goes, and writes it whole
        if known == plan.needed():
            break
    relocations.settle(folder, old.name)
    _show(new)
    listing(new)
    old.unlink()
    flush_folder(old.parent)
    return done


def finish(folder: Path, writer: str) -> None:
    """Finish what a crash interrupted, or clear it away."""
    for old in relocations.superseded(folder):
        if (name := Name.read(old)) and name.writer == writer:
            new = folder / "warc" / (relocations.target(folder, old) or old)
            if _hidden(new).exists():
                _show(new)
            (folder / "warc" / old).unlink(missing_ok=True)
    for path in list((folder / "warc").glob(f"*{_HIDDEN}")):
        if (name := Name.read(path.name.removesuffix(_HIDDEN))) and name.writer == writer:
            path.unlink()
    relocations.clear(folder, lambda old: (name := Name.read(old)) is not None and name.writer == writer)


def _next(name: Name | None) -> Name:
    """Name the WARC that takes the place of one: as it, but later, whatever the clock says."""
    assert name is not None
    return name._replace(time=max(f"{datetime.now(UTC):%Y%m%d%H%M%S}", f"{int(name.time) + 1:014}"))


def _copy(folder: Path, old: Path, new: Path, plan: CompactionPlan) -> Compaction:
    """Copy what is kept, byte for byte; what is damaged is put aside."""
    from pagedrift.archive.writer import software

    moved, dropped = {}, 0
    with old.open("rb") as file, old.open("rb") as source, _hidden(new).open("wb") as target:
        target.write(b"\0" + information(new.name, software())[1:])
        for found in groups(file):
            if isinstance(found, Torn):
                put_aside(source, old.name, found, folder / "damaged")
            elif found.main.kind == "warcinfo":
                continue
            elif plan.drops(old.name, found.main.offset):
                dropped += 1
            else:
                length = found.end - found.main.offset
                at = target.tell() + found.main.offset - found.offset
                moved[Place(old.name, found.main.offset, length)] = Place(new.name, at, length)
                _transfer(source, target, found.offset, found.end)
        target.flush()
        os.fsync(target.fileno())
        size = target.tell()
    return Compaction(moved, dropped, old.stat().st_size - size)


def _transfer(source: BinaryIO, target: BinaryIO, start: int, end: int) -> None:
    source.seek(start)
    while start < end and (data := source.read(min(_CHUNK, end - start))):
        target.write(data)
        start += len(data)


def _hidden(new: Path) -> Path:
    return new.with_name(new.name + _HIDDEN)


def _show(new: Path) -> None:
    """Make a WARC readable: until here nobody takes it for one."""
    with _hidden(new).open("r+b") as file:
        file.write(_MAGIC)
        file.flush()
        os.fsync(file.fileno())
    _hidden(new).replace(new)
    flush_folder(new.parent)
