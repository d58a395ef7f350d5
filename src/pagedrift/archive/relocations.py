"""Relocations: where captures went when their WARC was rewritten.

For each such WARC a file `moves/NAME.moves` says where its captures went: the name of the new WARC, then a line of
fixed length per capture, in order, so that one is found without reading all.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pagedrift.atomic_files import flush_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

FOLDER: Final = "moves"
_SETTLED: Final = ".moves"
_BEGUN: Final = ".begun"
_LINE: Final = "{:015} {:015} {:015}\n"
_SIZE: Final = 48


def begin(folder: Path, old: str, new: str, lines: Iterable[tuple[int, int, int]]) -> None:
    """Say where the captures of a WARC will go (old offset, new offset, new length), on disk, before they do."""
    (folder / FOLDER).mkdir(exist_ok=True)
    path = _begun(folder, old)
    with path.open("w", encoding="ascii") as file:
        file.write(f"{new}\n")
        file.writelines(_LINE.format(*line) for line in lines)
        file.flush()
        os.fsync(file.fileno())
    flush_folder(path.parent)


def settle(folder: Path, old: str) -> None:
    """Let that hold, in one step."""
    _begun(folder, old).replace(_settled(folder, old))
    flush_folder(folder / FOLDER)


def find(folder: Path, old: str, offset: int) -> tuple[str, int, int] | None:
    """Find where a capture went; None where it was dropped, or nothing is known of it."""
    with suppress(FileNotFoundError):
        return _find(_settled(folder, old), offset)
    return None


def going(folder: Path, old: str, offset: int) -> bool:
    """Return whether a capture is no longer there, or will soon not be."""
    for path in (_begun(folder, old), _settled(folder, old)):
        with suppress(FileNotFoundError):
            return _find(path, offset) is None
    return not (folder / "warc" / old).exists() and find(folder, old, offset) is None


def target(folder: Path, old: str) -> str | None:
    """Give the name of the WARC that took the place of one; None where none did."""
    with suppress(FileNotFoundError), _settled(folder, old).open("rb") as file:
        return file.readline().decode().strip()
    return None


def superseded(folder: Path) -> set[str]:
    """List the WARCs that were rewritten."""
    return {path.name.removesuffix(_SETTLED) for path in (folder / FOLDER).glob(f"*{_SETTLED}")}


def clear(folder: Path, own: Callable[[str], bool]) -> None:
    """Remove what was begun and never settled."""
    for path in list((folder / FOLDER).glob(f"*{_BEGUN}")):
        if own(path.name.removesuffix(_BEGUN)):
            path.unlink()


def forget(folder: Path, names: Iterable[str]) -> None:
    """Forget where the captures of WARCs went."""
    for name in names:
        _settled(folder, name).unlink(missing_ok=True)


def _settled(folder: Path, old: str) -> Path:
    return folder / FOLDER / (old + _SETTLED)


def _begun(folder: Path, old: str) -> Path:
    return folder / FOLDER / (old + _BEGUN)


def _find(path: Path, offset: int) -> tuple[str, int, int] | None:
    with path.open("rb") as file:
        new, size = file.readline(), file.seek(0, os.SEEK_END)
        low, high = 0, (size - len(new)) // _SIZE
        while low < high:
            middle = (low + high) // 2
            file.seek(len(new) + middle * _SIZE)
            at, moved, length = map(int, file.read(_SIZE).split())
            if at == offset:
                return new.decode().strip(), moved, length
            low, high = (middle + 1, high) if at < offset else (low, middle)
    return None
