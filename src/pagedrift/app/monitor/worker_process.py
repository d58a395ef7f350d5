"""Worker processes: each does one piece of work at a time, within limits of memory and processor time.

They load what their work needs and no more, which is far less than the server has loaded.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.monitor import heap

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_MEMORY: Final = 3_000_000_000  # bytes that a process may map; most of them are libraries and are never touched
SECONDS_TO_DIE: Final = 10.0  # for one that was ended, until the system says how
_PROGRAM: Final = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import main; main()"


class WorkerEndedError(Exception):
    """A process that ended before its work was done; `signal` is what ended it."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by signal {number}")
        self.signal = number


class WorkerProcess:
    """One process, from here: it gets a function to call, and answers with what that gives or raises."""

    def __init__(self) -> None:
        self.tasks = 0  # done
        self.rests_since = time.monotonic()
        self._connection: Any
        self._process: subprocess.Popen[bytes] | _SpawnedProcess
        self._connection, self._process = _spawned() if sys.platform == "win32" else _started()

    def __del__(self) -> None:
        with suppress(Exception):  # of a pool that was dropped and not closed
            self.close()

    @property
    def is_alive(self) -> bool:
        """Whether one that rests can be asked: nothing comes from it but its end."""
        return not self._connection.poll(0)

    def ask(self, seconds: float, limit: int, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Have a function called, and give what it gives and how much processor time that took.

        TimeoutError where that takes longer than `seconds`, WorkerEndedError where the process ended. After
        either, it is of no use.
        """
        self.tasks += 1
        try:
            self._connection.send((limit, work, given, named))
            if not self._connection.poll(seconds):
                raise TimeoutError
            done, answer = self._connection.recv()
        except (EOFError, ConnectionError):
            raise WorkerEndedError(-self._process.wait(SECONDS_TO_DIE)) from None
        finally:
            self.rests_since = time.monotonic()
        if not done:
            raise answer
        return answer

    def close(self) -> None:
        """Let it end; one that rests does so at once."""
        self._connection.close()
        self._process.wait(SECONDS_TO_DIE)

    def kill(self) -> None:
        """End it now; whoever waits for its answer learns that."""
        self._process.kill()


def _started() -> tuple[Connection, subprocess.Popen[bytes]]:
    """Start a process as a program: one that is forked off a process with threads may hang forever."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), *sys.path]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    return Connection(ours.detach()), process


def _spawned() -> tuple[Any, _SpawnedProcess]:
    """Start a process on Windows, where none inherits a socket."""
    ours, theirs = get_context("spawn").Pipe()
    with theirs:
        return ours, _SpawnedProcess(theirs)


class _SpawnedProcess:
    def __init__(self, theirs: Any) -> None:
        self._process = get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        return self._process.exitcode or 0

    def kill(self) -> None:
        self._process.kill()


# --- in the process ----------------------------------------------------------------------------------------------


def main() -> None:
    """Do what we are asked for; nothing is tidied up afterwards, as there is nothing of worth."""
    try:
        _serve(Connection(int(sys.argv[1])))
    finally:
        os._exit(0)


def _serve(connection: Connection) -> None:
    """Do what we are asked for, until nobody asks anymore."""
    _begin()
    while True:
        try:
            limit, work, given, named = connection.recv()
        except (EOFError, ConnectionError):
            return
        answer: tuple[bool, Any]
        try:
            answer = True, _limited(limit, work, *given, **named)
        except Exception as error:
            answer = False, error
        try:
            connection.send(answer)
        except ConnectionError:
            return
        except Exception as error:  # what cannot be sent
            connection.send((False, RuntimeError(f"{type(error).__name__}: {error}")))
        del work, given, named, answer
        heap.trim()


def _begin() -> None:
    """Let who started us decide when to end, and take no more memory than we may."""
    for number in (signal.SIGINT, signal.SIGTERM):  # a signal to the whole group, such as Ctrl-C, comes here too
        signal.signal(number, signal.SIG_IGN)
    heap.limit()
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, macOS not all of them
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _limited(limit: int, work: Callable[..., Any], *given: Any, **named: Any) -> tuple[Any, float]:
    """Do one piece of work within its share of processor time; the system ends us where it takes more."""
    started = time.process_time()
    with suppress(ImportError, ValueError, OSError):
        import resource

        until = math.ceil(started) + limit
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    return work(*given, **named), time.process_time() - started
