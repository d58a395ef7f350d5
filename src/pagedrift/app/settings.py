"""Settings of an installation: data directory, database, addresses and concurrency."""

from __future__ import annotations

import os
import secrets
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from pagedrift.errors import InputError

HOST: Final = "127.0.0.1"
PORT: Final = 8710
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def data_directory() -> Path:
    """Give the place of a user's data: PAGEDRIFT_HOME, or where the system wants such data."""
    home = os.environ.get("PAGEDRIFT_HOME")
    if home:
        return Path(home)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "pagedrift"


def default_processes() -> int:
    """Say how many processes work out answers: more than one, so that a slow page does not hold up all others."""
    return max(2, min(4, os.cpu_count() or 1))


@dataclass(frozen=True)
class Settings:
    """Settings of one installation at its start; the rest is in its database.

    >>> Settings(Path("/var/lib/pagedrift")).database_url
    'sqlite:////var/lib/pagedrift/pagedrift.db'
    """

    data: Path
    _: KW_ONLY
    database: str = ""  # postgresql://… for a shared one
    host: str = HOST
    port: int = PORT
    content_port: int = 0  # of captured pages, an origin of their own; 0 for the next one
    public_url: str = ""  # where a proxy in front is reached, if there is one
    content_url: str = ""
    allow_private: tuple[str, ...] = ()
    delay: float = 1.0  # seconds between two requests to one host
    threads: int = 16  # visits at once
    processes: int = field(default_factory=default_processes)  # that work out answers
    warcs: str = ""  # where the archive is, if not in the data directory: s3://bucket/prefix
    writer: str = "main"  # of this process, among those that share the data
    sign_on_header: str = ""  # in which a trusted proxy names who is logged in
    trusted_proxies: tuple[str, ...] = ()  # addresses and networks of such proxies
    sign_on_role: str = ""  # of accounts that are made for new names; empty where none are made

    @property
    def database_url(self) -> str:
        """The database to connect to."""
        return self.database or f"sqlite:///{self.data / 'pagedrift.db'}"

    @property
    def archive(self) -> str | Path:
        """What holds the kept versions: a folder, or a bucket."""
        return self.warcs or self.data

    @property
    def base_url(self) -> str:
        """Where people reach the application."""
        return self.public_url.rstrip("/") or f"http://{_bracketed(self.host)}:{self.port}"

    @property
    def open_to_others(self) -> bool:
        """Whether others than this machine can reach it: then a password is asked for."""
        return self.host not in LOOPBACK or bool(self.public_url)

    @property
    def signs_on(self) -> bool:
        """Whether a proxy in front says who is asking."""
        return bool(self.sign_on_header and self.trusted_proxies)

    @cached_property
    def key(self) -> bytes:
        """The key that signs addresses and sessions, made once and readable by its owner only."""
        path = self.data / "key"
        try:
            return _read_key(path)
        except FileNotFoundError:
            pass
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = path.with_name(f".key.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(beside, path)  # one of two that start at once wins, and both read what it wrote
        except FileExistsError:
            pass
        finally:
            beside.unlink()
        return _read_key(path)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _read_key(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) != 32:  # noqa: PLR2004 - as it is written
        raise InputError(f"{path} is not a Pagedrift key; move it away to get a new one")
    return key
