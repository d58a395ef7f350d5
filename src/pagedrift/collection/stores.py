"""Stores that hold a collection's files: a disk, an S3-compatible service, a web server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from urllib.parse import unquote, urlsplit

from pagedrift.atomic_files import atomic_file
from pagedrift.errors import InputError
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

PIECE_BYTES: Final = 16_000_000  # bytes that are asked for at once while a file is copied
TRIES: Final = 4
_MAX_PART_BYTES: Final = 256_000_000  # of one part of a file on the web
_GONE: Final = frozenset({404, 410})
_PARTIAL, _OK, _BEYOND = 206, 200, 416


class PlaceError(InputError):
    """A file of a collection that cannot be read or written."""


class FileStore(Protocol):
    """What is asked of whoever holds files; every trouble is a PlaceError."""

    def size(self, place: str) -> int:
        """Count the bytes of a file."""

    def read(self, place: str, start: int, stop: int) -> bytes:
        """Give some bytes of a file: fewer at its end, none behind it."""

    def write(self, place: str, file: Path) -> None:
        """Put a local file there, wholly or not at all."""

    def files(self, place: str) -> list[str]:
        """List the files in a folder and below, sorted; none if the folder does not exist."""

    def close(self) -> None:
        """Close all connections."""


def local_path(place: str) -> str:
    """Give the path of a place on this machine's disks.

    >>> local_path("file:///data/a%20b.warc"), local_path("data/a.warc")
    ('/data/a b.warc', 'data/a.warc')
    """
    return unquote(urlsplit(place).path) if place.lower().startswith("file:") else place


class Disk:
    """The disks of this machine, and what is mounted there."""

    def open(self, place: str, offset: int) -> BinaryIO:
        """Open a file at an offset."""
        try:
            file = open(local_path(place), "rb")  # noqa: PTH123, SIM115 - the caller closes
        except OSError as error:
            raise _refused(place, error) from None
        file.seek(offset)
        return file

    def size(self, place: str) -> int:
        """Count the bytes of a file."""
        try:
            return Path(local_path(place)).stat().st_size
        except OSError as error:
            raise _refused(place, error) from None

    def read(self, place: str, start: int, stop: int) -> bytes:
        """Give some bytes of a file."""
        with self.open(place, start) as file:
            return file.read(stop - start)

    def write(self, place: str, file: Path) -> None:
        """Copy a file next to its place, and move it there."""
        goal = Path(local_path(place))
        try:
            goal.parent.mkdir(parents=True, exist_ok=True)
            with file.open("rb") as old, atomic_file(goal) as new:
                while piece := old.read(PIECE_BYTES):
                    new.write(piece)
        except OSError as error:
            raise PlaceError(f"{place} cannot be written ({error.strerror}); make room, or name another") from None

    def files(self, place: str) -> list[str]:
        """List the files in a folder and below."""
        return sorted(str(path) for path in Path(local_path(place)).rglob("*") if path.is_file())

    def close(self) -> None:
        """Do nothing: every file was closed."""


def _refused(place: str, error: OSError) -> PlaceError:
    return PlaceError(f"{place} cannot be read ({error.strerror}); check its name and permissions")


class _S3:
    """A store that speaks S3: which one, and with which rights, is configured for boto3 as usual."""

    def __init__(self) -> None:
        boto3 = need("s3", "boto3")
        config = need("s3", "botocore.config").Config(retries={"max_attempts": TRIES, "mode": "standard"})
        self._client = boto3.client("s3", config=config)
        errors = need("s3", "botocore.exceptions")
        self._errors = (errors.ClientError, errors.BotoCoreError)

    def size(self, place: str) -> int:
        return int(self._do(place, "head_object")["ContentLength"])

    def read(self, place: str, start: int, stop: int) -> bytes:
        try:
            answer = self._do(place, "get_object", Range=f"bytes={start}-{stop - 1}")
            return cast("bytes", answer["Body"].read())
        except _BeyondError:
            return b""
        except self._errors as error:
            raise PlaceError(f"{place} ended early ({error}); try again later") from None

    def write(self, place: str, file: Path) -> None:
        with file.open("rb") as body:
            self._do(place, "put_object", Body=body)

    def files(self, place: str) -> list[str]:
        bucket, prefix = _bucket(place)
        folder = f"{prefix.rstrip('/')}/" if prefix else ""
        found, following = [], dict[str, str]()
        while True:
            page = self._do(place, "list_objects_v2", Key=None, Prefix=folder, **following)
            found += [f"s3://{bucket}/{entry['Key']}" for entry in page.get("Contents", ())]
            if not page.get("IsTruncated"):
                return sorted(found)
            following = {"ContinuationToken": page["NextContinuationToken"]}

    def close(self) -> None:
        self._client.close()

    def _do(self, place: str, action: str, **options: Any) -> dict[str, Any]:
        bucket, key = _bucket(place)
        given = {"Bucket": bucket, "Key": key, **options}
        try:
            return cast(
                "dict[str, Any]",
                getattr(self._client, action)(
                    **{name: value for name, value in given.items() if value is not None}
                ),
            )
        except self._errors as error:
            code = str(getattr(error, "response", {}).get("Error", {}).get("Code", type(error).__name__))
            if code in ("InvalidRange", str(_BEYOND)):
                raise _BeyondError(place) from None
            missing = code in ("NoSuchKey", "NoSuchBucket", "404")
            step = "check its name" if missing else "check AWS_ENDPOINT_URL, and the rights that boto3 finds here"
            raise PlaceError(f"{place} is not there; {step}" if missing else f"{place}: {code}; {step}") from None


class _BeyondError(Exception):
    """Nothing is there: behind the end of the file."""


def _bucket(place: str) -> tuple[str, str]:
    bucket, _, key = place.partition("://")[2].partition("/")
    return bucket, key


class _Web:
    """A web server that gives parts of files; asked only where the policy of addresses allows it."""

    def __init__(self) -> None:
        from pagedrift.capture.http import Client, ClientConfig
        from pagedrift.limits import Limits

        # A piece of a crawl may take its time on a slow line, other than a page.
        config = ClientConfig(
            delay=0, timeout=900, step=120, retries=TRIES - 1, limits=Limits(body=_MAX_PART_BYTES)
        )
        self._client = Client(config=config)

    def size(self, place: str) -> int:
        _, headers, _ = self._ask(place, 0, 1)
        total = headers.get("content-range", "").rpartition("/")[2] or headers.get("content-length", "")
        if not total.isdigit():
            raise PlaceError(f"{place}: the server does not report the size of the file; download it first")
        return int(total)

    def read(self, place: str, start: int, stop: int) -> bytes:
        status, _, body = self._ask(place, start, stop)
        if status == _BEYOND:
            return b""
        if status == _OK and (start or len(body) > stop - start):
            raise PlaceError(f"{place}: the server does not send parts of files; download it first")
        return body

    def write(self, place: str, file: Path) -> None:  # noqa: ARG002 - as every store has it
        raise PlaceError(f"{place} cannot be written to; name a folder or s3://BUCKET/FOLDER")

    def files(self, place: str) -> list[str]:
        raise PlaceError(f"{place}: a server does not list its files; list their addresses in a manifest")

    def close(self) -> None:
        self._client.close()

    def _ask(self, place: str, start: int, stop: int) -> tuple[int, dict[str, str], bytes]:
        """Ask for some bytes, as they are: a file that is packed stays so."""
        from pagedrift.capture.http import FetchError
        from pagedrift.capture.request_options import RequestOptions

        request_options = RequestOptions(headers=(("Range", f"bytes={start}-{stop - 1}"),))
        try:
            answer = self._client.fetch(
                place, robots="ignore", request_options=request_options, accept="*/*"
            ).exchanges[-1]
        except FetchError as error:
            if error.kind == "size":
                raise PlaceError(f"{place}: the server does not send parts of files; download it first") from None
            raise PlaceError(str(error)) from None
        if answer.status not in (_OK, _PARTIAL, _BEYOND):
            step = "check its name" if answer.status in _GONE else "try again later"
            raise PlaceError(f"{place} cannot be read (status {answer.status}); {step}")
        return answer.status, {name.lower(): value for name, value in answer.headers}, answer.body


STORES: Final[dict[str, Callable[[], FileStore]]] = {"": Disk, "s3": _S3, "http": _Web, "https": _Web}
