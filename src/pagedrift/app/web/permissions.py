"""Permissions: which role a request needs, by its method and path; whatever is not listed here is for owners."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pagedrift.app.model.people import allows
from pagedrift.app.web.error_responses import RefusedError

if TYPE_CHECKING:
    from pagedrift.app.model.people import Role
    from pagedrift.app.web.request_context import Caller, Scope

# All that is answered to anybody, by its exact path; a path that is not here needs credentials.
PUBLIC: Final = frozenset({"/login", "/health"})
STATIC: Final = "/static/"
AGENTS: Final = "/mcp"
EVENTS: Final = "/api/v1/events"
JOIN: Final = "/join/"  # with the secret of an invitation
# The first pattern that fits a whole path counts.
_RULES: Final[tuple[tuple[str, Role, str], ...]] = (
    # What an editor sees is what leads to a change.
    (
        "GET",
        "editor",
        r"/watch/new|/watch/[^/]+/(edit|matches|replay|(choose|steps)(/.+)?)|/change/[^/]+/rule|/settings/(group|alerts)",
    ),
    ("GET", "owner", r"/settings/people(/.*)?|/api/v1/(people|export)(/.*)?"),
    ("GET", "reader", r"/|/(alerts|stories|ignored|not-told|queue|settings|log)|/(alerts|stories)/[^/]+"),
    ("GET", "reader", r"/settings/my-alerts|/settings/lessons/[^/]+"),
    ("GET", "reader", r"/(watch|site|change|version|feed|memento)/.+"),
    (
        "GET",
        "reader",
        r"/api/v1/(alerts|alert-settings|changes|docs|events|groups|ignored|inbox|lessons|log|metrics"
        r"|openapi\.json|rules|state|stories|versions|watches)(/.+)?",
    ),
    ("POST", "reader", AGENTS),  # whose tools that change something look at the role themselves
    # One's own: read marks, password, sessions, tokens.
    (
        "POST",
        "reader",
        r"/inbox|/inbox/undo|/logout|/views|/views/remove|/settings/(my-alerts|password|name|tokens|sessions)(/.+)?",
    ),
    ("POST", "reader", r"/api/v1/inbox/read"),
    ("PUT", "reader", r"/api/v1/changes/[^/]+/read"),
    ("PATCH", "reader", r"/api/v1/alert-settings/mine"),
    # Watches, groups, rules, feedback and alerts.
    ("POST", "editor", r"/inbox/feedback|/undo|/watches|/import|/demo|/alerts/send-now|/alerts/[^/]+/again"),
    ("POST", "editor", r"/(watch|change)/.+|/settings/(alerts|group|group/remove|channels/test|channels/preview)"),
    ("POST", "editor", r"/settings/rules/[^/]+/remove|/settings/lessons/[^/]+/forget"),
    ("POST", "editor", r"/api/v1/(actions|channels/test|import|rules|watches|undo/[^/]+|watches/.+)"),
    ("PUT", "editor", r"/api/v1/(changes/[^/]+/feedback|groups/[^/]+)"),
    ("PATCH", "editor", r"/api/v1/(alert-settings|watches/[^/]+)"),
    ("DELETE", "editor", r"/api/v1/(changes/[^/]+/feedback|groups/[^/]+|lessons/[^/]+|rules/[^/]+|watches/[^/]+)"),
)
_COMPILED: Final = tuple((method, role, re.compile(path)) for method, role, path in _RULES)


def is_public(path: str) -> bool:
    """Return whether a path is answered to anybody."""
    return path in PUBLIC or (path.startswith((STATIC, JOIN)) and path.count("/") == 2)  # noqa: PLR2004 - no folders


def needed_role(method: str, path: str) -> Role:
    """Say which role a request needs.

    >>> needed_role("GET", "/change/7"), needed_role("POST", "/watches"), needed_role("GET", "/new-in-town")
    ('reader', 'editor', 'owner')
    """
    for known, role, pattern in _COMPILED:
        if known == method and pattern.fullmatch(path):
            return role
    return "owner"


def check(scope: Scope, who: Caller) -> None:
    """Refuse what the role of the caller does not allow."""
    if is_public(scope["path"]):
        return
    needed = needed_role(scope["method"], scope["path"])
    if not allows(who.role, needed):
        raise RefusedError(403, f"this needs the role {needed}, and yours is {who.role}; ask an owner to change it")
