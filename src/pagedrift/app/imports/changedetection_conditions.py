"""Conditions, trigger texts and restock settings of changedetection.io, as conditions of a watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.conditions import parse_condition
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RESTOCK: Final = "restock_diff"
_RESTOCK_SETTINGS: Final = ("restock_settings", "processor_config_restock_diff")
_NUMBER: Final = {">": "above", "<": "below"}  # operators on the number of a part
_WORDS: Final = {"in": "contains", "!in": "lacks"}  # and on its text


@dataclass(frozen=True, slots=True)
class ImportedConditions:
    """The options that conditions became, and the settings that are read thereby."""

    options: Mapping[str, Any] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()


def read_conditions(watch: Mapping[str, Any]) -> ImportedConditions:
    """Read the conditions of a watch; where they cannot be said in ours, nothing is taken.

    >>> given = [{"field": "extracted_number", "operator": "<", "value": "20"}]
    >>> read_conditions({"conditions": given, "conditions_match_logic": "ALL"}).options
    {'conditions': ('below 20',), 'value': 'number'}
    """
    found = [each for each in (_conditions(watch), _texts(watch), _restock(watch)) if each.taken]
    # There, what is set in two of these places must hold together; here, any of several is enough.
    return found[0] if len(found) == 1 and found[0].options else ImportedConditions()


def _conditions(watch: Mapping[str, Any]) -> ImportedConditions:
    given = [each for each in _listed(watch.get("conditions")) if isinstance(each, dict) and each.get("operator")]
    if not given:
        return ImportedConditions()
    taken = frozenset({"conditions", "conditions_match_logic"})
    lines = [_condition(each) for each in given]
    together = len(given) > 1 and watch.get("conditions_match_logic", "ALL") != "ANY"
    return _made(() if together or "" in lines else lines, taken)


def _condition(given: Mapping[str, Any]) -> str:
    about, operator, value = (str(given.get(name) or "").strip() for name in ("field", "operator", "value"))
    if about.startswith("extracted_number") and operator in _NUMBER:
        return f"{_NUMBER[operator]} {value}"
    return f"{_WORDS[operator]} {value}" if about == "page_filtered_text" and operator in _WORDS else ""


def _texts(watch: Mapping[str, Any]) -> ImportedConditions:
    """Read texts that must be there for an alert; those that must not be there are a condition each as well."""
    wanted = [str(each).strip() for each in _listed(watch.get("trigger_text")) if str(each).strip()]
    unwanted = [str(each).strip() for each in _listed(watch.get("text_should_not_be_present")) if str(each).strip()]
    if not wanted and not unwanted:
        return ImportedConditions()
    taken = frozenset({"trigger_text"} if wanted else {"text_should_not_be_present"})
    expressions = any(each.startswith("/") for each in (*wanted, *unwanted))
    if expressions or (wanted and unwanted) or len(unwanted) > 1:
        return ImportedConditions({}, taken)
    return _made([f"contains {each}" for each in wanted] + [f"lacks {each}" for each in unwanted], taken)


def _restock(watch: Mapping[str, Any]) -> ImportedConditions:
    if watch.get("processor") != RESTOCK:
        return ImportedConditions()
    settings: dict[str, Any] = {}
    for name in _RESTOCK_SETTINGS:
        known = watch.get(name)
        settings |= known if isinstance(known, dict) else {}
    if isinstance(inner := settings.get("restock_diff"), dict):
        settings |= inner
    lines = _stock(settings.get("in_stock_processing", "in_stock_only"))
    limits = {"price_change_min": "below {}", "price_change_max": "above {}"}
    prices = [text.format(settings[name]) for name, text in limits.items() if _is_number(settings.get(name))]
    if not prices and settings.get("follow_price_changes", True):
        threshold = settings.get("price_change_threshold_percent")
        prices = [f"changes by {threshold if _is_number(threshold) else 0}%"]
    return _made([*lines, *prices], frozenset({"processor", *_RESTOCK_SETTINGS}))


def _stock(processing: Any) -> list[str]:
    return {"in_stock_only": ["in stock"], "all_changes": ["in stock", "out of stock"]}.get(str(processing), [])


def _made(lines: Iterable[str], taken: frozenset[str]) -> ImportedConditions:
    written = tuple(dict.fromkeys(lines))
    try:
        kinds = {parse_condition(line).kind for line in written}
    except InputError:
        return ImportedConditions({}, taken)
    if not kinds:
        return ImportedConditions({}, taken)
    value = "number" if kinds & {"below", "above", "changes by"} else "stock" if "in stock" in kinds else "none"
    options: dict[str, Any] = {"conditions": written} | ({"value": value} if value != "none" else {})
    return ImportedConditions(options, taken)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
