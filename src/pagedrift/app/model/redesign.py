"""Redesigns of watched pages: what of the layout changed, which selectors broke, whether the content stayed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from pagedrift.redesigned.layout import LayoutChange
from pagedrift.report import reasons, redesigns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ContentState = Literal["unchanged", "changed", ""]  # empty where there is too little to tell


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSelector:
    """One of the user's selectors that no longer means what it meant, and what to write instead."""

    use: str = "selector"  # include, exclude or rule: what the watch looks at; selector: of a scraper
    name: str = ""
    selector: str = ""
    status: str = "gone"  # moved: it matches nothing now; wrong: something else; gone: what it meant is not there
    proposal: str = ""  # a selector
    probability: float = 0.0  # that the proposal is right
    old_text: str = ""  # what it meant
    new_text: str = ""  # what the proposal means
    watches: tuple[str, ...] = ()  # that have it, by their ids

    @property
    def advice(self) -> str:
        """What became of it, and what to write instead, in words."""
        return reasons.broken_selector(status=self.status, proposal=self.proposal, probability=self.probability)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedesignDetails:
    """What a redesign did to one page."""

    layout: LayoutChange = field(default_factory=LayoutChange)
    content: ContentState = ""
    selectors: tuple[BrokenSelector, ...] = ()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> RedesignDetails:
        """Read them back."""
        return cls(
            layout=_read(LayoutChange, stored.get("layout") or {}),
            content=stored.get("content") or "",
            selectors=tuple(_read(BrokenSelector, each) for each in stored.get("selectors") or ()),
        )

    @classmethod
    def of_event(cls, event: Mapping[str, Any]) -> RedesignDetails:
        """Read what a redesign that documents of a site showed did to the selectors of a scraper."""
        found = []
        for each in event.get("selectors") or ():
            closest = each.get("closest") or {}
            found.append(
                BrokenSelector(
                    name=str(each.get("name", "")),
                    selector=str(each.get("selector", "")),
                    status="moved" if closest else "gone",
                    proposal=str(closest.get("css", "")),
                    probability=float(closest.get("likeness", 0.0)),
                    new_text=str(closest.get("text", "")),
                )
            )
        return cls(selectors=tuple(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class RedesignSummary:
    """What a redesign did to all pages of a site that an alert is about."""

    layout: LayoutChange = field(default_factory=LayoutChange)  # of the page of which most was replaced
    selectors: tuple[BrokenSelector, ...] = ()
    unchanged: int = 0  # pages whose content stayed
    changed: int = 0  # pages whose content changed, too

    @classmethod
    def of(cls, pages: Iterable[tuple[str, RedesignDetails]]) -> RedesignSummary:
        """Sum up pages, each by the id of its watch; a selector that broke on several is one."""
        known = list(pages)
        broken: dict[tuple[str, str], BrokenSelector] = {}
        for watch, details in known:
            for each in details.selectors:
                key = each.use, each.selector
                best = max(broken.get(key, each), each, key=lambda one: one.probability)
                watches = broken[key].watches if key in broken else ()
                broken[key] = replace(best, watches=(*watches, *({watch} - {*watches})))
        layouts = (details.layout for _, details in known)
        return cls(
            layout=max(layouts, key=lambda each: each.replaced, default=LayoutChange()),
            selectors=tuple(broken.values()),
            unchanged=sum(details.content == "unchanged" for _, details in known),
            changed=sum(details.content == "changed" for _, details in known),
        )

    @property
    def layout_lines(self) -> tuple[str, ...]:
        """What came and went of the layout, in words."""
        return tuple(redesigns.layout_lines(self.layout))

    @property
    def content_line(self) -> str:
        """On how many pages the content stayed, in words."""
        return redesigns.content_line(self.unchanged, self.changed)

    def to_json(self) -> dict[str, Any]:
        """Give it as messages and the API have it."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> RedesignSummary:
        """Read it back from a message."""
        details = RedesignDetails.from_json(stored)
        return cls(
            layout=details.layout,
            selectors=details.selectors,
            unchanged=int(stored.get("unchanged") or 0),
            changed=int(stored.get("changed") or 0),
        )


def _read(made: type[Any], stored: Mapping[str, Any]) -> Any:
    """Make a value of the fields that this release knows."""
    known = {each.name: stored[each.name] for each in fields(made) if each.name in stored}
    return made(**{name: tuple(value) if isinstance(value, list) else value for name, value in known.items()})
