"""Spidermon monitors that fail when selectors of a spider broke, or its items came out otherwise than before."""

# mypy: disable-error-code="misc, untyped-decorator"
# Spidermon has no types.

from __future__ import annotations

from typing import Any, Final

from spidermon import Monitor, MonitorSuite, monitors  # whoever uses this has it

_BROKEN: Final = "pagedrift/broken/"
_FIELDS: Final = "pagedrift/fields/"


@monitors.name("Selectors")
class SelectorMonitor(Monitor):
    """Reads what `SelectorMiddleware` counted, and fails with what to write instead."""

    @monitors.name("All selectors match as before")
    def test_selectors_match(self) -> None:
        """Fail if a selector broke."""
        broken = [f"{name}: {proposal}" for name, proposal in _named(self.data.stats, _BROKEN)]
        if broken:
            self.fail(f"selectors broke; use instead: {', '.join(broken)}")

    @monitors.name("The fields of items are filled as before")
    def test_fields_are_filled(self) -> None:
        """Fail if a field is empty more often than in the run before, has another kind of value or always one."""
        changed = [f"{name} {what}" for name, what in _named(self.data.stats, _FIELDS)]
        if changed:
            self.fail(f"fields changed: {', '.join(changed)}")


class SelectorMonitorSuite(MonitorSuite):
    """The monitors of selectors, for SPIDERMON_ENGINE_STOP_MONITORS: when the spider closes, fields are counted."""

    monitors = (SelectorMonitor,)


def _named(stats: Any, prefix: str) -> list[tuple[str, Any]]:
    return sorted((key.removeprefix(prefix), value) for key, value in dict(stats).items() if key.startswith(prefix))
