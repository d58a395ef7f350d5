"""Messages through apprise, sent by guarded processes that are kept warm.

Apprise speaks to more than a hundred services, and an address decides which hosts, files and programs that means.
So messages are sent by processes of their own, in which Python itself refuses all that no message needs (see
`apprise_worker`). Starting one takes a third of a second; so one that has sent a message waits for the next for a
while. A process sends one message at a time, and one that does not answer in time is ended.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.notify.channels import ChannelError
from pagedrift.app.notify.formats import format_of, prepare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TIMEOUT: Final = 60.0  # seconds for all of it
MAX_MESSAGES: Final = 500  # of one process, so that its memory stays small
MAX_KEPT: Final = 2  # processes that wait for another message
MAX_REST_SECONDS: Final = 60.0  # that one waits for it; well before it ends by itself
_MAX_REASON_CHARS: Final = 300  # characters of a reason
_WORD: Final = 6  # characters from which a part of an address may be a secret
_ENVIRONMENT: Final = (
    "PATH LANG LC_ALL TZ PYTHONPATH VIRTUAL_ENV SYSTEMROOT SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE "
    "PAGEDRIFT_ALLOW_PRIVATE"
).split()
_WORKER: Final = "pagedrift.app.notify.apprise_worker"


def send(
    channel: str, data: Mapping[str, Any], *, allow_private: Iterable[str] = (), timeout: float = TIMEOUT
) -> None:
    """Send a message by apprise; ChannelError where that did not work."""
    order = {"channel": channel, "allow": [*allow_private], **asdict(prepare(data, format_of(channel)))}
    process = _POOL.take()
    answer = process.ask(order, timeout)
    _POOL.give_back(process)
    if not answer["sent"]:
        reason = answer["error"] if answer["refused"] else _without_secrets(answer["error"], channel)
        raise ChannelError(reason[:_MAX_REASON_CHARS], final=bool(answer["final"]))


def _without_secrets(reason: str, channel: str) -> str:
    """Take parts of the address out of what is shown to others than its owner."""
    for part in sorted(set(re.split(r"[^\w.+-]", channel.partition("://")[2])), key=len, reverse=True):
        if len(part) >= _WORD:
            reason = reason.replace(part, "…")
    return " ".join(reason.split())


class AppriseProcess:
    """One process that sends messages; one thread at a time asks it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-B", "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # addresses with their secrets might be in it
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        )
        self.messages = 0
        self.rests_since = 0.0

    def ask(self, order: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """Have a message sent; one that takes too long ends the process."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(timeout, give_up)
        timer.start()
        self.messages += 1
        assert self._process.stdin is not None  # for the type checker
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            return dict(json.loads(self._process.stdout.readline()))
        except (OSError, ValueError):
            self.end()
            if late.is_set():
                reason = f"the service did not answer within {timeout:g} seconds; check whether it runs"
            else:
                reason = f"apprise ended with status {self._process.returncode}; try the channel again"
            raise ChannelError(reason) from None
        finally:
            timer.cancel()

    @property
    def is_fit(self) -> bool:
        """Whether it may send another message."""
        rested = time.monotonic() - self.rests_since
        return self._process.poll() is None and self.messages < MAX_MESSAGES and rested < MAX_REST_SECONDS

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


class AppriseProcesses:
    """The processes that wait for another message, the one that sent the last first."""

    def __init__(self) -> None:
        self._resting: list[AppriseProcess] = []
        self._lock = threading.Lock()

    def take(self) -> AppriseProcess:
        """Give a process that waits, or else a new one."""
        while True:
            with self._lock:
                process = self._resting.pop() if self._resting else None
            if process is None:
                return AppriseProcess()
            if process.is_fit:
                return process
            process.end()

    def give_back(self, process: AppriseProcess) -> None:
        """Let a process wait for the next message, unless enough of them do."""
        process.rests_since = time.monotonic()
        with self._lock:
            kept = len(self._resting) < MAX_KEPT
            if kept:
                self._resting.append(process)
        if not kept:
            process.end()

    def close(self) -> None:
        """End all that wait."""
        with self._lock:
            resting, self._resting = self._resting, []
        for process in resting:
            process.end()


_POOL: Final = AppriseProcesses()
atexit.register(_POOL.close)
