"""The reader for WARCs in an S3-compatible bucket, from any offset."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit

from pagedrift.archive.locations import ArchiveError, Name, Place
from pagedrift.errors import InputError
from pagedrift.extras import need

_AHEAD: Final = 1 << 18  # bytes that are asked for at once


class Bucket:
    """The WARCs under a prefix of a bucket: what is read of them is asked for by range.

    The address of the service and the keys come from where all programs for S3 have them: `AWS_ENDPOINT_URL`,
    `AWS_ACCESS_KEY_ID`, `~/.aws/`.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if not parts.netloc:
            raise ArchiveError(f"{address} names no bucket; write s3://BUCKET/PREFIX")
        self.address = address
        self.name = parts.netloc
        prefix = parts.path.strip("/")
        self.prefix = f"{prefix}/warc/" if prefix else "warc/"
        self._sizes: dict[str, int] = {}
        self._client = need("s3", "boto3").client("s3")
        self._errors = need("s3", "botocore.exceptions")

    def names(self, *, writer: str | None = None) -> list[str]:
        """List the WARCs, those of each writer in order."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=self.prefix)
        try:
            listed = {entry["Key"]: entry["Size"] for page in pages for entry in page.get("Contents", ())}
        except (self._errors.ClientError, self._errors.BotoCoreError) as error:
            raise self._trouble(error) from None
        self._sizes = {key.removeprefix(self.prefix): size for key, size in listed.items()}
        named = [(Name.read(text), text) for text in self._sizes]
        found = sorted(each for each in named if each[0] is not None and writer in (None, each[0].writer))
        return [text for _, text in found]

    def size(self, name: str) -> int:
        """Say how long a WARC is that was listed: none grows, so that what was read is not asked for again."""
        return self._sizes.get(name, 1 << 62)

    def moved(self, place: Place) -> Place | None:  # noqa: ARG002
        """Say where compaction moved a capture: nowhere."""
        return None

    def open(self, name: str, offset: int = 0) -> BinaryIO:
        """Open a WARC at an offset."""
        file = io.BufferedReader(cast("Any", _Object(self, name, offset)), _AHEAD)
        if not file.peek(1) and not offset:
            raise FileNotFoundError(name)
        return cast("BinaryIO", file)

    def range(self, name: str, start: int, size: int) -> bytes:
        """Read some bytes of a WARC; none behind its end."""
        wanted = f"bytes={start}-{start + size - 1}"
        try:
            answer = self._client.get_object(Bucket=self.name, Key=self.prefix + name, Range=wanted)
            return bytes(answer["Body"].read())
        except self._errors.ClientError as error:
            if error.response["Error"]["Code"] in ("InvalidRange", "416"):
                return b""
            if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
                raise FileNotFoundError(name) from None
            raise self._trouble(error) from None
        except self._errors.BotoCoreError as error:
            raise self._trouble(error) from None

    def put(self, name: str, data: bytes) -> None:
        """Keep a WARC; it is there when this returns."""
        try:
            self._client.put_object(
                Bucket=self.name, Key=self.prefix + name, Body=data, ContentType="application/warc"
            )
        except (self._errors.ClientError, self._errors.BotoCoreError) as error:
            raise OSError(None, str(error)) from None

    def _trouble(self, error: Exception) -> InputError:
        return InputError(f"{self.address} cannot be read ({error}); check its name, AWS_ENDPOINT_URL and the keys")


class _Object(io.RawIOBase):
    """An object of a bucket, as a file."""

    def __init__(self, bucket: Bucket, name: str, offset: int) -> None:
        self._bucket = bucket
        self._name = name
        self._at = offset

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_END:
            raise io.UnsupportedOperation("the end of an object is not asked for")
        self._at = offset + (self._at if whence == os.SEEK_CUR else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        data = self._bucket.range(self._name, self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
