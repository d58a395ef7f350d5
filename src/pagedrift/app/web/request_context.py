"""Request context: who is asking, and which installation answers."""

from __future__ import annotations

import re
import socket
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import Field

from pagedrift.app.model.people import FIRST, allows
from pagedrift.app.settings import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

    from fastapi import Request

    from pagedrift.app.demo.site import DemoSite
    from pagedrift.app.model.people import Role
    from pagedrift.app.monitor.scheduler import Scheduler
    from pagedrift.app.monitor.step_trials import StepTrials
    from pagedrift.app.settings import Settings
    from pagedrift.app.store.store import Store

    Scope = MutableMapping[str, Any]

HOME: Final = "/"
Result = TypeVar("Result")
Number = Annotated[int, Field(ge=0, lt=2**53)]  # of a row; JSON is exact up to there
Way = Literal["public", "open", "session", "api", "feed", "proxy"]
EVERYWHERE: Final = frozenset({"0.0.0.0", "::", ""})
_HOST: ContextVar[str] = ContextVar("host", default="")  # by which this machine was reached


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and by what they may."""

    way: Way
    id: str = ""  # of the session or the token
    _: KW_ONLY
    token: str = ""  # the name of a token
    person: str = FIRST  # the id of the account
    name: str = ""  # of the person
    role: Role = "reader"
    csrf: str = ""  # what the forms of this browser carry

    @property
    def edits(self) -> bool:
        """Whether they may change watches, rules and alerts."""
        return allows(self.role, "editor")

    def person_allows(self, role: Role) -> bool:
        """Return whether a token of theirs may have a role."""
        return allows(self.role, role)

    @property
    def owns(self) -> bool:
        """Whether they may change people and settings."""
        return allows(self.role, "owner")


def caller(request: Request) -> Caller:
    """Return who is asking."""
    who: Caller = request.scope["caller"]
    return who


def person_of(request: Request) -> str:
    """Give the id of the account that is asking."""
    return caller(request).person


def settings_of(request: Request) -> Settings:
    """Give the settings of the installation that is asked."""
    settings: Settings = request.app.state.settings
    return settings


def worked_out(request: Request, work: Callable[..., Result], *given: Any, **named: Any) -> Result:
    """Have something worked out that looks into captured pages: in a process that may be ended."""
    analysis_pool = request.app.state.analysis_pool
    return work(*given, **named) if analysis_pool is None else analysis_pool.run(work, *given, **named)


def store_of(request: Request) -> Store:
    """Give its store."""
    store: Store = request.app.state.store
    return store


def scheduler_of(request: Request) -> Scheduler | None:
    """Give its scheduler; None where another process visits the pages."""
    scheduler: Scheduler | None = request.app.state.scheduler
    return scheduler


def step_trials_of(request: Request) -> StepTrials:
    """Give the browser in which people try steps."""
    step_trials: StepTrials = request.app.state.step_trials
    return step_trials


def demo_of(request: Request) -> DemoSite | None:
    """Give the demonstration site; None where there is none."""
    demo: DemoSite | None = request.app.state.demo
    return demo


def inside(path: str) -> str:
    r"""Give a path of this application to continue with; anything else leads home.

    >>> inside("/change/7?view=page"), inside("//evil.example/"), inside("/\\evil.example"), inside("https:evil")
    ('/change/7?view=page', '/', '/', '/')
    """
    plain = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable() and "\\" not in path
    return path if plain and path.isascii() else HOME


def header(scope: Scope, name: str) -> str:
    """Give a header of a request; empty where it has none, or several that disagree."""
    found = {value for key, value in scope["headers"] if key == name.encode()}
    return found.pop().decode("latin-1") if len(found) == 1 else ""


def cookies(scope: Scope) -> dict[str, str]:
    """Give the cookies of a request; of one that came twice, the first."""
    found: dict[str, str] = {}
    for pair in header(scope, "cookie").split(";"):
        name, _, value = pair.strip().partition("=")
        found.setdefault(name, value)
    return found


def host_name(host: str) -> str:
    """Give the name in a Host header, without its port; empty where it is none.

    >>> host_name("127.0.0.1:8710"), host_name("[::1]:8710"), host_name("a@b")
    ('127.0.0.1', '::1', '')
    """
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9._-]{1,255}))(?::\d{1,5})?", host)
    return (found[1] or found[2]).lower().rstrip(".") if found else ""


def reached_by(host: str) -> None:
    """Remember, for the request under way, by which name this machine was reached."""
    _HOST.set(host)


def app_origin(settings: Settings) -> str:
    """Give the address of the application, as browsers reach it.

    >>> from pathlib import Path
    >>> from pagedrift.app.settings import Settings
    >>> app_origin(Settings(Path())), content_origin(Settings(Path()))
    ('http://127.0.0.1:8710', 'http://127.0.0.1:8711')
    """
    return _origin(settings.public_url) or f"http://{_machine(settings)}:{settings.port}"


def content_origin(settings: Settings) -> str:
    """Give the origin of captured pages, as browsers reach it."""
    if settings.content_url:
        return _origin(settings.content_url)
    port = settings.content_port or settings.port + 1
    public = urlsplit(settings.public_url)
    return f"http://{_bracketed(public.hostname) if public.hostname else _machine(settings)}:{port}"


def own_names(settings: Settings) -> frozenset[str]:
    """Give the names by which this installation may be reached; addresses in numbers need none."""
    found = (settings.public_url, settings.content_url)
    public: Iterable[str] = (*(urlsplit(url).hostname or "" for url in found), settings.host.strip("[]"))
    if settings.host in EVERYWHERE:
        name = socket.gethostname().lower()
        public = (*public, name, f"{name}.local")
    return frozenset({*public, *LOOPBACK} - EVERYWHERE)


def _machine(settings: Settings) -> str:
    """Name this machine as the browser named it, where we listen at more than one address."""
    known = settings.host not in EVERYWHERE and settings.host not in LOOPBACK
    name = settings.host if known else _HOST.get()
    return _bracketed(name or (socket.gethostname() if settings.host in EVERYWHERE else settings.host))


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
