"""WACZ files: the WARCs inside them, and where each one stands."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import IO

from pagedrift.archive.source import Source
from pagedrift.errors import InputError

_WARC = re.compile(r"(?:.*/)?archive/[^/]+\.warc(?:\.gz)?")
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCAL_HEADER = 30  # bytes, before the name and the extra field (APPNOTE.TXT, 4.3.7)
_ENCRYPTED = 1


def sources(path: str | Path) -> list[Source]:
    """List the WARCs of a WACZ, to be read where they stand."""
    try:
        with Path(path).open("rb") as file, zipfile.ZipFile(file) as package:
            members = [member for member in package.infolist() if _WARC.fullmatch(member.filename)]
            if not members:
                raise InputError(
                    f"{path} is a ZIP without archive/*.warc.gz, so not a WACZ; unpack it and give its files"
                )
            return [_source(str(path), file, member) for member in members]
    except (zipfile.BadZipFile, NotImplementedError):
        raise InputError(f"{path} is not a complete ZIP; get a complete copy of the WACZ") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name and its permissions") from None


def _source(path: str, file: IO[bytes], member: zipfile.ZipInfo) -> Source:
    """Find where the bytes of a member start: after its header, whose length is only in the header itself."""
    if member.flag_bits & _ENCRYPTED or member.compress_type not in _READ:
        raise InputError(
            f"{path}: {member.filename} is encrypted or packed in an unsupported way; pack it again with: zip -0"
        )
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    if not header.startswith(b"PK\x03\x04") or len(header) < _LOCAL_HEADER:
        raise zipfile.BadZipFile
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    start = member.header_offset + _LOCAL_HEADER + names
    deflated = member.compress_type == zipfile.ZIP_DEFLATED
    return Source(path=path, size=member.file_size, start=start, member=member.filename, deflated=deflated)
