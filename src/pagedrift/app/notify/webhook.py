"""Webhook channel: signed JSON messages that receivers can verify and deduplicate.

The message is posted as JSON. `Pagedrift-Signature: t=SECONDS,v1=HEX` holds the HMAC-SHA256 of `SECONDS.BODY` under
the secret of the webhook; `Idempotency-Key` is the same for every attempt at one message.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.notify.channels import ChannelError
from pagedrift.capture.addresses import AddressError, AddressPolicy
from pagedrift.capture.http import USER_AGENT
from pagedrift.http_exchange import is_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import httpcore
    import httpx

SIGNATURE: Final = "Pagedrift-Signature"
TIMEOUT: Final = 20.0  # seconds for all of it
AGE: Final = 300.0  # seconds for which a signature holds
_LATEST: Final = 6 * 3600.0  # seconds that a server may ask us to wait
_GONE: Final = frozenset({404, 405, 410, 415})  # whoever was there is not anymore, or is not a webhook


def secret(key: bytes, url: str) -> str:
    """Give the secret of a webhook: each address has its own, so that none can speak for another.

    >>> secret(b"key", "https://hooks.example/1") == secret(b"key", "https://hooks.example/2")
    False
    """
    return hmac.new(key, b"webhook\n" + url.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def sign(body: bytes, key: str, *, at: int) -> str:
    """Sign a message.

    >>> sign(b"{}", "secret", at=1_700_000_000)
    't=1700000000,v1=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163'
    """
    return f"t={at},v1={_mac(body, key, str(at))}"


def verify(body: bytes, signature: str, key: str, *, now: float | None = None, age: float = AGE) -> bool:
    """Return whether a message is from us and new: for those who receive it.

    >>> verify(b"{}", sign(b"{}", "secret", at=100), "secret", now=130)
    True
    >>> verify(b"[]", sign(b"{}", "secret", at=100), "secret", now=130)
    False
    """
    parts = dict(part.strip().partition("=")[::2] for part in signature.split(","))
    at, mac = parts.get("t", ""), parts.get("v1", "")
    if not (at.isascii() and at.isdigit() and len(at) <= 20) or not mac.isascii():  # noqa: PLR2004 - of any time
        return False
    fresh = abs((time.time() if now is None else now) - int(at)) <= age
    return fresh and hmac.compare_digest(mac, _mac(body, key, at))


def send(url: str, payload: Mapping[str, Any], key: str, *, allow_private: Iterable[str] = ()) -> None:
    """Post a message; ChannelError where it was not accepted."""
    import httpcore
    import httpx

    from pagedrift.capture.transport import Wires, deadline

    limit = deadline.set(time.monotonic() + TIMEOUT)
    wires = Wires(AddressPolicy.of(allow_private))
    try:
        answer = wires.way(None, verify=True).send(_request(httpx.URL(url), payload, key))
        try:
            _judge(answer.status, dict(answer.headers))  # no redirects: they would lead it to somebody else
        finally:
            answer.close()
    except AddressError as error:
        raise ChannelError(str(error)) from None
    except (httpx.InvalidURL, UnicodeError, httpcore.UnsupportedProtocol, httpcore.LocalProtocolError):
        raise ChannelError("this is not a valid webhook address; check its spelling", final=True) from None
    except httpcore.ProtocolError:
        raise ChannelError("what answers there does not speak HTTP; check the address of the webhook") from None
    except (httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
        said = str(error).strip().splitlines()
        reason = said[0][:200] if said else "no reason"
        raise ChannelError(f"the webhook does not answer ({reason}); check its address") from None
    finally:
        wires.close()
        deadline.reset(limit)


def _request(url: httpx.URL, payload: Mapping[str, Any], key: str) -> httpcore.Request:
    import httpcore

    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    headers = {
        "Host": url.netloc.decode("ascii"),
        "User-Agent": USER_AGENT,
        "Accept": "*/*",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Idempotency-Key": str(payload.get("uid", "")),
        SIGNATURE: sign(body, key, at=int(time.time())),
    }
    if url.userinfo:
        named = f"{url.username}:{url.password}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(named).decode()}"
    return httpcore.Request(
        b"POST",
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in headers.items()],
        content=body,
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), TIMEOUT)},
    )


def _judge(status: int, headers: Mapping[bytes, bytes]) -> None:
    """Check the status: the message was accepted if it is below 300."""
    if status < 300:  # noqa: PLR2004 - HTTP
        return
    if not is_failure(status):
        raise ChannelError(
            f"the webhook leads elsewhere (status {status}); give the address it leads to", final=True
        )
    asked = next((value for name, value in headers.items() if name.lower() == b"retry-after"), b"").strip()
    after = min(float(asked), _LATEST) if asked.isdigit() and len(asked) < 10 else None  # noqa: PLR2004 - or a date
    raise ChannelError(
        f"the webhook rejected the alert (status {status}); see its log", final=status in _GONE, after=after
    )


def _mac(body: bytes, key: str, at: str) -> str:
    return hmac.new(key.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
