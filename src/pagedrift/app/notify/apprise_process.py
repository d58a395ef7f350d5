"""Sandboxed process that sends messages through apprise.

Apprise speaks to more than a hundred services, and an address decides which hosts, files and programs that means.
So each message is sent by a process of its own, in which Python itself refuses connections that the policy on
addresses forbids, redirects and changed names included, and all files and programs. It also ends in time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.channels import scheme_of
from pagedrift.app.notify.channels import ChannelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TIMEOUT: Final = 60.0  # seconds for all of it
_MAX_REASON_CHARS: Final = 300  # characters of a reason
_WORD: Final = 6  # characters from which a part of an address may be a secret
_ENVIRONMENT: Final = (
    "PATH LANG LC_ALL TZ PYTHONPATH VIRTUAL_ENV SYSTEMROOT SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE "
    "PAGEDRIFT_ALLOW_PRIVATE"
).split()
_PROGRAMS: Final = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn")
_READABLE: Final = ("/etc/ssl", "/etc/pki", "/usr/share/ca-certificates", "/usr/share/zoneinfo", "/etc/mime.types")
# Services of mail, that show HTML as we write it; chats have their own ideas of it.
_MAIL: Final = frozenset(
    "mailto mailtos mailgun sendgrid ses o365 azure postmark smtp2go sparkpost resend brevo mailersend".split()
)


def send(
    channel: str, data: Mapping[str, Any], *, allow_private: Iterable[str] = (), timeout: float = TIMEOUT
) -> None:
    """Send a message by apprise; ChannelError where that did not work."""
    order = {"channel": channel, "allow": [*allow_private]} | {
        name: data.get(name, "") for name in ("title", "text", "html", "level")
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-B", "-m", __name__],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=timeout,
            check=False,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        )
    except subprocess.TimeoutExpired:
        raise ChannelError(
            f"the service did not answer within {timeout:g} seconds; check whether it runs"
        ) from None
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        raise ChannelError(f"apprise ended with status {done.returncode}; try the channel again") from None
    if not answer["sent"]:
        reason = answer["error"] if answer["refused"] else _without_secrets(answer["error"], channel)
        raise ChannelError(reason[:_MAX_REASON_CHARS], final=bool(answer["final"]))


def _without_secrets(reason: str, channel: str) -> str:
    """Take parts of the address out of what is shown to others than its owner."""
    for part in sorted(set(re.split(r"[^\w.+-]", channel.partition("://")[2])), key=len, reverse=True):
        if len(part) >= _WORD:
            reason = reason.replace(part, "…")
    return " ".join(reason.split())


def _main() -> None:
    """Do what was ordered on standard input, in this process of its own."""
    order = json.loads(sys.stdin.buffer.read())
    refused: list[str] = []
    said, sent, final = "", False, False
    try:
        said, sent, final = _notify(order, refused)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    if not sent and refused:
        said = refused[0]
    answer = {"sent": sent, "error": said, "final": final, "refused": bool(refused)}
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


def _notify(order: Mapping[str, Any], refused: list[str]) -> tuple[str, bool, bool]:
    import logging

    import apprise
    from apprise.logger import logger

    heard: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.propagate = False
    asset = apprise.AppriseAsset(storage_mode="memory", async_mode=False)
    _guard(_permitted(order["allow"]), refused)
    plugin = apprise.Apprise.instantiate(order["channel"], asset=asset)
    if plugin is None:
        reason = heard[0] if heard else f"{scheme_of(order['channel'])}:// is not written as apprise wants it"
        return f"{reason}; see github.com/caronc/apprise/wiki for how it is written", False, True
    mail = scheme_of(order["channel"]) in _MAIL
    sent = bool(
        plugin.notify(
            body=order["html"] if mail else order["text"],
            title=order["title"],
            notify_type=apprise.NotifyType(order["level"] or "info"),
            body_format=apprise.NotifyFormat.HTML if mail else apprise.NotifyFormat.TEXT,
        )
    )
    return heard[0] if heard else "the service did not accept it; check the channel", sent, False


def _permitted(allow: Iterable[str]) -> Callable[[Any], None]:
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


def _guard(check: Callable[[Any], None], refused: list[str]) -> None:
    """Let Python refuse, from now on and forever, what no message needs."""
    roots = tuple(
        os.path.realpath(path)
        for path in (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *_READABLE)
        if path
    )

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        try:
            if event in ("socket.connect", "socket.sendto"):
                check(arguments[1])
            elif event.startswith(_PROGRAMS):
                raise PermissionError("a channel starts no programs")
            elif event == "open" and not _may_open(arguments[0], arguments[2], roots):
                raise PermissionError(f"a channel reads no files of this machine ({arguments[0]!r})")
        except Exception as error:
            refused.append(str(error))
            raise PermissionError(str(error)) from None

    sys.addaudithook(hook)


def _may_open(path: Any, flags: Any, roots: tuple[str, ...]) -> bool:
    """Allow to read what belongs to Python and to TLS."""
    if isinstance(path, int) or path is None:
        return True
    name = os.path.realpath(os.fsdecode(path))
    if name == os.devnull:
        return True
    writes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return not writes and any(name == root or name.startswith(root + os.sep) for root in roots)


if __name__ == "__main__":
    _main()
