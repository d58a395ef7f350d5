"""Files that are written wholly or not at all: a kill or a full disk leaves what was there before."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

_OWNER_ONLY, _AS_USUAL = 0o600, 0o666


def write_atomically(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file in one step; a private one can be read by its owner only, from its first byte on.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "fees.html"), b"<p>A permit costs $120")
    ...     Path(folder, "fees.html").read_bytes(), len(list(Path(folder).iterdir()))
    (b'<p>A permit costs $120', 1)
    """
    with atomic_file(path, private=private) as file:
        file.write(data)


@contextmanager
def atomic_file(
    path: Path, *, private: bool = False, durable: bool = True, beside: Path | None = None
) -> Iterator[BinaryIO]:
    """Open a file that takes its place when all of it is written; until then it stands next to it.

    Where it is not durable, a crash of the whole machine may take it. Devices and pipes are written directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    goal = path.resolve()  # where a link leads
    beside = beside or goal.with_name(f".{goal.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(_created(beside, private=private), "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        beside.replace(goal)
    except OSError as error:
        if error.errno and error.filename in (None, str(beside)):  # users know the file by its own name
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        with suppress(OSError):
            beside.unlink()
    if durable:
        flush_folder(goal.parent)


def flush_folder(path: Path) -> None:
    """Wait until the disk knows the names in a folder; where folders cannot be opened, it does by itself."""
    with suppress(OSError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _created(path: Path, *, private: bool) -> int:
    how = os.O_EXCL if private else os.O_TRUNC
    return os.open(path, os.O_WRONLY | os.O_CREAT | how, _OWNER_ONLY if private else _AS_USUAL)
