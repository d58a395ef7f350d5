"""Values that a watched part of a page says: a number with its unit, a date, whether something is in stock."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TEXT_CHARS: Final = 10_000  # of a part that conditions look into
MAX_KEPT_CHARS: Final = 200  # that are kept with a change
_CURRENCY: Final = (
    r"[€$£¥₹₽₩₺₫₴₦฿₱]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|INR|BRL|kr|zł)\b"
)
_DIGITS: Final = r"[-−]?\d{1,3}(?:[ \u00a0\u202f'’.,]\d{3})+(?:[.,]\d{1,2}(?!\d))?|[-−]?\d+(?:[.,]\d+)?"
_PRICE: Final = re.compile(rf"(?:({_CURRENCY})\s*({_DIGITS}))|(?:({_DIGITS})\s*({_CURRENCY}))")
_NUMBER: Final = re.compile(rf"(?<![\w.,])({_DIGITS})\s*(%|°C|°F|°|[^\W\d_]{{1,12}})?")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAMED: Final = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES: Final = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?P<n>{_NAMED}),?\s+(?P<y>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<n>{_NAMED})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b", re.IGNORECASE),
    re.compile(r"\b(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})\b"),
)
# What says that something cannot be bought comes first: "not available" holds "available".
_OUT: Final = re.compile(
    r"out of stock|sold out|not in stock|not available|unavailable|back-?order|discontinued|currently no stock"
    r"|ausverkauft|nicht (?:auf lager|verfügbar|lieferbar)|vergriffen|rupture de stock|épuisé|indisponible|agotado"
    r"|no disponible|sin existencias|esaurito|non disponibile|uitverkocht|niet op voorraad|slutsåld|udsolgt",
    re.IGNORECASE,
)
_IN: Final = re.compile(
    r"in stock|available|add to (?:cart|basket|bag)|buy now|only \d+ left|auf lager|lieferbar|verfügbar"
    r"|in den warenkorb|en stock|disponible|ajouter au panier|disponibile|op voorraad|i lager|på lager",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedValue:
    """What a part of a page says, read as a number, a date and a stock state, as far as it is one."""

    text: str = ""
    number: float | None = None
    unit: str = ""
    day: str = ""  # as ISO 8601 writes it
    in_stock: bool | None = None

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> WatchedValue:
        """Read one back."""
        return cls(**{each.name: stored[each.name] for each in fields(cls) if each.name in stored})


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A value before and after."""

    kind: str  # what it is, as the watch says: number, date, stock, text, or none
    old: WatchedValue
    new: WatchedValue
    holds: tuple[str, ...] = ()  # conditions on the text that hold now ...
    held: tuple[str, ...] = ()  # ... and that held before

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> ValueChange:
        """Read one back."""
        return cls(
            kind=str(stored.get("kind", "none")),
            old=WatchedValue.from_json(stored.get("old") or {}),
            new=WatchedValue.from_json(stored.get("new") or {}),
            holds=tuple(stored.get("holds") or ()),
            held=tuple(stored.get("held") or ()),
        )


def read_value(text: str) -> WatchedValue:
    """Read what a part of a page says; a price goes before other numbers.

    >>> read_value("Only 3 left: 1.299,00 €")
    WatchedValue(text='Only 3 left: 1.299,00 €', number=1299.0, unit='€', day='', in_stock=True)
    >>> read_value("Expires 12 March 2027, sold out").day, read_value("sold out").in_stock
    ('2027-03-12', False)
    """
    text = " ".join(text.split())[:MAX_TEXT_CHARS]
    number, unit = _number(text)
    return WatchedValue(text=text[:MAX_KEPT_CHARS], number=number, unit=unit, day=_day(text), in_stock=_stock(text))


def _number(text: str) -> tuple[float | None, str]:
    if price := _PRICE.search(text):
        return amount(price[2] or price[3]), price[1] or price[4]
    if plain := _NUMBER.search(text):
        return amount(plain[1]), plain[2] or ""
    return None, ""


def amount(written: str) -> float:
    """Read a number as people of any country write it.

    >>> [amount(each) for each in ("1,299.50", "1.299,50", "1 299", "1.299", "0.125", "12,5", "−3")]
    [1299.5, 1299.5, 1299.0, 1299.0, 0.125, 12.5, -3.0]
    """
    plain = re.sub(r"[ \u00a0\u202f'’]", "", written).replace("−", "-")
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0:
        return float(plain)
    whole, mark, rest = plain[:last], plain[last], plain[last + 1 :]
    several = plain.count(mark) > 1 or any(other in whole for other in ".,".replace(mark, ""))
    groups = len(rest) == 3 and whole.lstrip("-") not in ("0", "") and not (several and mark not in whole)  # noqa: PLR2004
    digits = re.sub(r"[.,]", "", whole)
    return float(f"{digits}{rest}" if groups else f"{digits}.{rest}")


def _day(text: str) -> str:
    for pattern in _DATES:
        if found := pattern.search(text):
            parts = found.groupdict()
            month = int(parts["m"]) if parts.get("m") else _MONTHS.index(parts["n"][:3].lower()) + 1
            try:
                return date(int(parts["y"]), month, int(parts["d"])).isoformat()
            except ValueError:
                continue
    return ""


def _stock(text: str) -> bool | None:
    if _OUT.search(text):
        return False
    return True if _IN.search(text) else None
