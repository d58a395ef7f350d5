"""Notes about settings of other programs that could not be imported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_NAME_CHARS: Final = 60  # of a setting, in a note
MAX_VALUES_READ: Final = 10_000  # inside of one setting, before it counts as one that says something
UNKNOWN: Final = "Pagedrift has no setting like it"


@dataclass(frozen=True, slots=True)
class KnownSettings:
    """What is known of the settings of another program. What stands in none of these is named as unknown."""

    taken: frozenset[str]  # read by the importer, which notes itself what it cannot use
    idle: frozenset[str]  # bookkeeping, and what changes nothing here
    advice: Mapping[str, str]  # not imported: what to do instead
    defaults: Mapping[str, Any] = field(default_factory=dict)  # where they are not empty, zero or false


def left_behind(data: Mapping[str, Any], known: KnownSettings) -> Iterator[str]:
    """Name each setting that was not imported and says something else than the default, and what to do instead.

    >>> instead, defaults = {"trigger": "choose notify_on"}, {"trigger": "off"}
    >>> known = KnownSettings(frozenset({"url"}), frozenset({"uuid"}), instead, defaults)
    >>> list(left_behind({"url": "x", "uuid": "1", "trigger": "off"}, known))
    []
    >>> list(left_behind({"trigger": "on", "newer": False}, known))
    ['newer was not imported; Pagedrift has no setting like it', 'trigger was not imported; choose notify_on']
    """
    for name in sorted(data.keys() - known.taken - known.idle):
        if not _says_nothing(data[name], known.defaults.get(name), is_known=name in known.advice):
            yield f"{name[:MAX_NAME_CHARS]} was not imported; {known.advice.get(name, UNKNOWN)}"


def _says_nothing(value: Any, default: Any, *, is_known: bool) -> bool:
    """Return whether a value is the default. Of an unknown setting, false may be what somebody chose."""
    if isinstance(value, (bool, int, float)):
        same_type = isinstance(value, bool) == isinstance(default, bool)
        return (same_type and value == default) or (is_known and default is None and not value)
    return value == default or _is_empty(value)


def _is_empty(value: Any) -> bool:
    """Return whether nothing stands in a value, nor in the values in it, as in a form that nobody filled in."""
    waiting, count = [value], 0
    while waiting and count < MAX_VALUES_READ:
        each = waiting.pop()
        count += 1
        if isinstance(each, (list, dict)):
            waiting.extend(each.values() if isinstance(each, dict) else each)
        elif each is not None and not (isinstance(each, str) and not each.strip()):
            return False
    return not waiting
