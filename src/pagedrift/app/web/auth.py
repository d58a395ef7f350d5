"""Authentication: sessions, tokens and the password; none is needed where only this machine has access."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

from pagedrift.app.model.actors import Actor, acting_as
from pagedrift.app.model.people import FIRST, Person, Role
from pagedrift.app.store import invitations, people
from pagedrift.app.store import tokens as store_tokens
from pagedrift.app.web.permissions import AGENTS, JOIN, is_public
from pagedrift.app.web.request_context import Caller, cookies, header
from pagedrift.app.web.sign_on import signed_on
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store
    from pagedrift.app.store.tokens import Token, Use
    from pagedrift.app.web.request_context import Scope

FEEDS: Final = "/feed/"
BY_TOKEN: Final = ("/api/", "/memento/", AGENTS)  # what programs may ask for

SESSION: Final = timedelta(days=14)
INVITED: Final = timedelta(days=7)  # for which the link of an invitation works
CACHE_SECONDS: Final = 5.0  # seconds for which an answer of the database is believed
MAX_CACHED_TOKENS: Final = 10_000
MIN_PASSWORD_CHARS: Final = 10
MAX_PASSWORD_CHARS: Final = 1_000
SCRYPT: Final = {"n": 2**15, "r": 8, "p": 1}  # 32 MB and some 100 ms
_CHECKED_AT_ONCE: Final = threading.BoundedSemaphore(2)  # passwords that are checked at once: each takes memory


class Authenticator:
    """Identifies the caller. One per installation; it believes the database for some seconds."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._known: dict[str, tuple[float, Token | None]] = {}
        self._password: tuple[float, bool] = (0.0, False)

    @property
    def open(self) -> bool:
        """Whether this machine may ask without a password: nobody else can reach us, and there is one account."""
        if self.settings.open_to_others or self.settings.signs_on:
            return False
        until, known = self._password
        if time.monotonic() >= until:
            known = people.are_protected(self.store)
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
        if person := signed_on(self.settings, self.store, scope):
            return person
        if session := self._session(scope):
            return session
        if is_public(path):
            return Caller("public")
        return Caller("open", name=FIRST, role="owner") if self.open else None

    def _session(self, scope: Scope) -> Caller | None:
        value = cookies(scope).get(cookie_name(self.settings), "")
        return self._by("session", value) if signed(self.settings, value) else None

    def _by(self, use: Use, value: str) -> Caller | None:
        found = self._look_up(use, digest_of(value))
        if found is None:
            return None
        whose, token = found.person, "" if use == "session" else found.name
        return Caller(use, found.id, token=token, person=whose.id, name=whose.name, role=found.role)

    def _look_up(self, use: Use, digest: str) -> Token | None:
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


def begin_session(settings: Settings, store: Store, *, person: str = FIRST, browser: str = "") -> str:
    """Begin a session of a person; give the value of its cookie."""
    now = datetime.now(UTC)
    body = f"{secrets.token_urlsafe(24)}.{int((now + SESSION).timestamp())}"
    value = f"{body}.{_mac(settings, body)}"
    store_tokens.begin_session(store, digest_of(value), SESSION, person=person, name=browser)
    return value


def has_password(store: Store, person: str = FIRST) -> bool:
    """Return whether a person has set a password."""
    return people.password_of(store, person) is not None


def set_password(store: Store, password: str, person: str = FIRST) -> None:
    """Set the password of a person and end all their sessions; only a hash of it is kept."""
    people.set_password(store, person, hashed_password(password))


def hashed_password(password: str) -> dict[str, Any]:
    """Give what is kept of a password."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise InputError(
            f"a password needs {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS:,} characters; choose another one"
        )
    salt = secrets.token_bytes(16)
    return {"salt": salt.hex(), "hash": _hashed(password, salt, SCRYPT).hex(), **SCRYPT}


def right_password(store: Store, password: str, person: str = FIRST) -> bool:
    """Check a password; it takes as long where none was set, and where nobody has that name."""
    kept = people.password_of(store, person) or {"salt": "00" * 16, "hash": "", **SCRYPT}
    cost = {name: kept[name] for name in SCRYPT}
    found = _hashed(password[:MAX_PASSWORD_CHARS], bytes.fromhex(kept["salt"]), cost)
    return hmac.compare_digest(found.hex(), kept["hash"])


def first_password(settings: Settings, store: Store) -> str | None:
    """Make the password of an installation that others can reach and that has none; it is shown this once."""
    if not (settings.open_to_others or settings.signs_on) or people.are_protected(store):
        return None
    password = secrets.token_urlsafe(15)
    set_password(store, password)
    return password


def invite(store: Store, role: Role, lasting: timedelta = INVITED) -> str:
    """Make a link by which one person may join; give its path, which is shown this once."""
    secret = secrets.token_urlsafe(32)
    invitations.add(store, digest_of(secret), role, lasting)
    return f"{JOIN}{secret}"


def join(store: Store, secret: str, name: str, password: str) -> Person:
    """Make the account of somebody who was invited."""
    with acting_as(Actor(kind="person", name=name.strip())):
        return invitations.join(store, digest_of(secret), name, hashed_password(password))


def add_token(
    store: Store, name: str, use: Literal["api", "feed"], *, person: str = FIRST, role: Role = "owner"
) -> str:
    """Make a key to the API or to the feeds; it is shown this once, and only its digest is kept.

    It allows what its role does, and never more than its person may do.
    """
    if use not in ("api", "feed"):
        raise InputError(f"{use!r} is not a valid type of token; choose one of: api, feed")
    if not name.strip() or len(name) > 200:  # noqa: PLR2004 - a line
        raise InputError("a token needs a name of 1 to 200 characters; enter one")
    value = f"pd_{use}_{secrets.token_urlsafe(32)}"
    store_tokens.add(store, name.strip(), digest_of(value), use, person=person, role=role)
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
