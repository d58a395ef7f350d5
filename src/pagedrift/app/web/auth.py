"""Authentication: sessions, tokens and the password; none is needed where only this machine has access."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from pagedrift.app.store import tokens as store_tokens
from pagedrift.app.web.request_context import Caller, cookies, header
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.tokens import Use
    from pagedrift.app.web.request_context import Scope

# All that is answered to anybody, by its exact path; a path that is not here needs credentials.
PUBLIC: Final = frozenset({"/login", "/health"})
STATIC: Final = "/static/"
FEEDS: Final = "/feed/"
BY_TOKEN: Final = ("/api/", "/memento/")  # what programs may ask for

SESSION: Final = timedelta(days=14)
CACHE_SECONDS: Final = 5.0  # seconds for which an answer of the database is believed
MAX_CACHED_TOKENS: Final = 10_000
MIN_PASSWORD_CHARS: Final = 10
MAX_PASSWORD_CHARS: Final = 1_000
SCRYPT: Final = {"n": 2**15, "r": 8, "p": 1}  # 32 MB and some 100 ms
PASSWORD: Final = "password"
_CHECKED_AT_ONCE: Final = threading.BoundedSemaphore(2)  # passwords that are checked at once: each takes memory


class Authenticator:
    """Identifies the caller. One per installation; it believes the database for some seconds."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._known: dict[str, tuple[float, str | None]] = {}
        self._password: tuple[float, bool] = (0.0, False)

    @property
    def open(self) -> bool:
        """Whether this machine may ask without a password: nobody else can reach us, and none was set."""
        if self.settings.open_to_others:
            return False
        until, known = self._password
        if time.monotonic() >= until:
            known = has_password(self.store)
            self._password = time.monotonic() + CACHE_SECONDS, known
        return not known

    def forget(self) -> None:
        """Ask the database again: sessions or tokens were changed."""
        self._known.clear()
        self._password = 0.0, False

    def who(self, scope: Scope) -> Caller | None:
        """Return who is asking; None for somebody who may not. Whatever is not named here is refused."""
        path: str = scope["path"]
        if path.startswith(FEEDS):
            return self._by("feed", path.split("/")[2])
        if path.startswith(BY_TOKEN) and (given := _bearer(scope)):
            return self._by("api", given)
        if session := self._session(scope):
            return session
        if path in PUBLIC or (path.startswith(STATIC) and path.count("/") == 2):  # noqa: PLR2004 - no folders
            return Caller("public")
        return Caller("open") if self.open else None

    def _session(self, scope: Scope) -> Caller | None:
        value = cookies(scope).get(cookie_name(self.settings), "")
        return self._by("session", value) if signed(self.settings, value) else None

    def _by(self, use: Use, value: str) -> Caller | None:
        found = self._look_up(use, digest_of(value))
        return Caller(use, found) if found else None

    def _look_up(self, use: Use, digest: str) -> str | None:
        """Find a token by its digest: no timing depends on the secret itself."""
        key, now = f"{use}:{digest}", time.monotonic()
        until, known = self._known.get(key, (0.0, None))
        if now < until:
            return known
        known = store_tokens.find(self.store, use, digest)
        if len(self._known) >= MAX_CACHED_TOKENS:
            self._known.clear()
        self._known[key] = now + CACHE_SECONDS, known
        return known


def cookie_name(settings: Settings) -> str:
    """Name the cookie of a session: bound to this host by its prefix, where there is encryption."""
    return "__Host-pagedrift" if encrypted(settings) else f"pagedrift-{settings.port}"


def encrypted(settings: Settings) -> bool:
    """Return whether browsers reach us by https."""
    return settings.public_url.startswith("https://")


def digest_of(value: str) -> str:
    """Give what is kept of a key of 128 bits and more: it cannot be guessed from its digest."""
    return hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()


def signed(settings: Settings, value: str) -> bool:
    """Return whether a session is ours and not over, before the database is asked."""
    body, _, mac = value.rpartition(".")
    expires = body.partition(".")[2]
    right = hmac.compare_digest(_mac(settings, body).encode(), mac.encode("utf-8", "replace"))
    return right and expires.isascii() and expires.isdigit() and int(expires) > time.time()


def known_browser(settings: Settings, scope: Scope) -> str:
    """Give the name of a browser that logged in here before; empty for any other.

    It lets nobody in: it only has attempts at the password of its own, which no stranger can use up.
    """
    name, _, mac = cookies(scope).get(f"{cookie_name(settings)}-known", "").rpartition(".")
    right = hmac.compare_digest(_browser_mac(settings, name).encode(), mac.encode("utf-8", "replace"))
    return name if right else ""


def remember_browser(settings: Settings) -> tuple[str, str]:
    """Give the name and the value of the cookie by which a browser is known again."""
    name = secrets.token_urlsafe(16)
    return f"{cookie_name(settings)}-known", f"{name}.{_browser_mac(settings, name)}"


def begin_session(settings: Settings, store: Store) -> str:
    """Begin a session; give the value of its cookie."""
    now = datetime.now(UTC)
    body = f"{secrets.token_urlsafe(24)}.{int((now + SESSION).timestamp())}"
    value = f"{body}.{_mac(settings, body)}"
    store_tokens.begin_session(store, digest_of(value), SESSION)
    return value


def has_password(store: Store) -> bool:
    """Return whether a password was set."""
    return store.get(PASSWORD) is not None


def set_password(store: Store, password: str) -> None:
    """Set the password and end all sessions; only a hash of it is kept."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise InputError(
            f"a password needs {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS:,} characters; choose another one"
        )
    salt = secrets.token_bytes(16)
    kept = {"salt": salt.hex(), "hash": _hashed(password, salt, SCRYPT).hex(), **SCRYPT}
    store_tokens.set_and_end_sessions(store, PASSWORD, kept)


def right_password(store: Store, password: str) -> bool:
    """Check a password; it takes as long where none was set."""
    kept = store.get(PASSWORD) or {"salt": "00" * 16, "hash": "", **SCRYPT}
    cost = {name: kept[name] for name in SCRYPT}
    found = _hashed(password[:MAX_PASSWORD_CHARS], bytes.fromhex(kept["salt"]), cost)
    return hmac.compare_digest(found.hex(), kept["hash"])


def first_password(settings: Settings, store: Store) -> str | None:
    """Make the password of an installation that others can reach and that has none; it is shown this once."""
    if not settings.open_to_others or has_password(store):
        return None
    password = secrets.token_urlsafe(15)
    set_password(store, password)
    return password


def add_token(store: Store, name: str, use: Literal["api", "feed"]) -> str:
    """Make a key to the API or to the feeds; it is shown this once, and only its digest is kept."""
    if use not in ("api", "feed"):
        raise InputError(f"{use!r} is not a valid type of token; choose one of: api, feed")
    if not name.strip() or len(name) > 200:  # noqa: PLR2004 - a line
        raise InputError("a token needs a name of 1 to 200 characters; enter one")
    value = f"pd_{use}_{secrets.token_urlsafe(32)}"
    store_tokens.add(store, name.strip(), digest_of(value), use)
    return value


def _bearer(scope: Scope) -> str:
    kind, _, value = header(scope, "authorization").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""


def _mac(settings: Settings, body: str) -> str:
    return hmac.new(settings.key, f"session:{body}".encode("utf-8", "surrogateescape"), "sha256").hexdigest()


def _browser_mac(settings: Settings, name: str) -> str:
    return hmac.new(settings.key, f"browser:{name}".encode("utf-8", "surrogateescape"), "sha256").hexdigest()


def _hashed(password: str, salt: bytes, cost: dict[str, int]) -> bytes:
    with _CHECKED_AT_ONCE:
        return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, maxmem=2**27, dklen=32, **cost)
