"""Routes of alerts: to which channels those of a watch are sent, when, and what says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RouteSource = Literal["watch", "site", "group", "tag", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRoute:
    """Where the alerts of a watch go, and what decides that."""

    channels: tuple[str, ...]  # that can be sent to
    source: RouteSource
    name: str = ""  # of the group, or of the tags
    silent: bool = False  # “none” was chosen
    lost: bool = False  # a channel is named whose secret is not known
