"""The process that sends messages through apprise, one after the other, and can do nothing else.

It reads orders from standard input, a line of JSON each, and answers each with a line. Python itself refuses
connections that the policy on addresses forbids, redirects and changed names included, and all files and programs.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from pagedrift.app.model.channels import scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MAX_IDLE_SECONDS: Final = 120.0  # without an order, after which it ends by itself
_PROGRAMS: Final = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn")
_READABLE: Final = ("/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/usr/share/zoneinfo", "/etc/mime.types")


class Guard:
    """What may be reached and opened; installed once, it holds until the process ends."""

    def __init__(self) -> None:
        self.refused: list[str] = []  # since it was told of the order under way
        self._check: Callable[[Any], None] = _refuse
        self._roots: tuple[str, ...] = ()

    def install(self) -> None:
        """Let Python refuse, from now on and forever, what no message needs."""
        named = (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *_READABLE)
        self._roots = tuple(os.path.realpath(path) for path in named if path)
        sys.addaudithook(self._hook)

    def begin(self, allow: Iterable[str]) -> None:
        """Begin with another order, whose user trusts some private hosts."""
        self.refused.clear()
        self._check = permitted(allow)

    def end(self) -> None:
        """Let nothing be reached until the next order."""
        self._check = _refuse

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        try:
            if event in ("socket.connect", "socket.sendto"):
                self._check(arguments[1])
            elif event.startswith(_PROGRAMS):
                raise PermissionError("a channel starts no programs")
            elif event == "open" and not _may_open(arguments[0], arguments[2], self._roots):
                raise PermissionError(f"a channel reads no files of this machine ({arguments[0]!r})")
        except Exception as error:
            self.refused.append(str(error))
            raise PermissionError(str(error)) from None


def _refuse(_: Any) -> None:
    raise PermissionError("no message is being sent")


def permitted(allow: Iterable[str]) -> Callable[[Any], None]:
    """Give a function that refuses the addresses that must not be reached; it is asked at every connection."""
    import socket
    from contextlib import suppress
    from ipaddress import ip_address

    from pagedrift.capture.addresses import AddressPolicy

    policy = AddressPolicy.of(allow)
    numbers = set[str]()
    for name in policy.allowed:  # names the user trusts; a connection is to a number
        with suppress(OSError, UnicodeError):
            numbers |= {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    policy = AddressPolicy(policy.allowed | numbers)

    def check(address: Any) -> None:
        if not isinstance(address, tuple):
            raise PermissionError("alerts are only sent to services on the network")
        host = str(address[0]).partition("%")[0]
        try:
            ip_address(host)
        except ValueError:  # it would be looked up once more when it is connected to
            raise PermissionError(f"{host[:200]} is reached by its name; that is not checked") from None
        policy.resolve(host, int(address[1]))

    return check


def _may_open(path: Any, flags: Any, roots: tuple[str, ...]) -> bool:
    """Allow to read what belongs to Python and to TLS."""
    if isinstance(path, int) or path is None:
        return True
    name = os.path.realpath(os.fsdecode(path))
    if name == os.devnull:
        return True
    writes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return not writes and any(name == root or name.startswith(root + os.sep) for root in roots)


class Sender:
    """Sends one message after the other through apprise."""

    def __init__(self, guard: Guard) -> None:
        import logging

        import apprise
        from apprise.logger import logger

        self._apprise, self._guard = apprise, guard
        self._heard: list[str] = []  # what apprise says of the order under way
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self._heard.append(record.getMessage())  # type: ignore[method-assign]
        logger.addHandler(handler)
        logger.propagate = False

    def answer(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Do what was ordered, and say what became of it."""
        self._heard.clear()
        said, sent, final = "", False, False
        try:
            self._guard.begin(order["allow"])
            said, sent, final = self._notify(order)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            self._guard.end()
        refused = self._guard.refused
        return {
            "sent": sent,
            "error": refused[0] if refused and not sent else said,
            "final": final,
            "refused": bool(refused),
        }

    def _notify(self, order: Mapping[str, Any]) -> tuple[str, bool, bool]:
        apprise, heard = self._apprise, self._heard
        asset = apprise.AppriseAsset(storage_mode="memory", async_mode=False)
        plugin = apprise.Apprise.instantiate(order["channel"], asset=asset)
        if plugin is None:
            reason = heard[0] if heard else f"{scheme_of(order['channel'])}:// is not written as apprise wants it"
            return f"{reason}; see github.com/caronc/apprise/wiki for how it is written", False, True
        body_format = apprise.NotifyFormat({"mail": "html", "markdown": "markdown"}.get(order["format"], "text"))
        if order["format"] == "markdown" and isinstance(plugin.notify_format, str):  # else it finds out by itself
            plugin.notify_format = body_format
        sent = plugin.notify(
            body=order["body"],
            title=order["title"],
            notify_type=apprise.NotifyType(order["level"]),
            body_format=body_format,
        )
        return heard[0] if heard else "the service did not accept it; check the channel", bool(sent), False


class _Leaving:
    """Ends the process when no order came for a while: whoever started it may be gone, or have no more."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def wait(self) -> None:
        """Begin to wait for an order."""
        self._timer = threading.Timer(self._seconds, os._exit, (0,))
        self._timer.daemon = True
        self._timer.start()

    def stay(self) -> None:
        """Stay: one came."""
        if self._timer is not None:
            self._timer.cancel()


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Do what is ordered until nobody orders anymore."""
    guard, leaving = Guard(), _Leaving(MAX_IDLE_SECONDS)
    sender = Sender(guard)
    guard.install()
    leaving.wait()
    for line in orders:
        leaving.stay()
        answers.write(json.dumps(sender.answer(json.loads(line))).encode() + b"\n")
        answers.flush()
        leaving.wait()


def _main() -> None:
    """Keep standard output for answers: whatever prints goes elsewhere."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
