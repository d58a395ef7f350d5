"""Why does the judge of Law et al. 2012 decide as it does? Its 41 figures in five reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.explain import JudgementReason
from pagedrift.does_it_matter.features import VISUAL

if TYPE_CHECKING:
    from collections.abc import Mapping

_SLIGHT: Final = 0.05  # contributions below are not reason
_NOTHING: Final = -4.9  # on the logarithmic scale of distances: as good as none


def explain_paper(contributions: Mapping[str, float], values: Mapping[str, float]) -> tuple[JudgementReason, ...]:
    """Put what the figures add up to into reasons, the strongest first; figures of one kind are reported as one."""
    strengths: dict[str, float] = {}
    for name, share in contributions.items():
        kind = _kind(name)
        strengths[kind] = strengths.get(kind, 0.0) + share
    found = (
        JudgementReason(_told(kind, values), round(share, 3))
        for kind, share in strengths.items()
        if abs(share) >= _SLIGHT
    )
    return tuple(sorted(found, key=lambda reason: -abs(reason.strength)))


def _kind(name: str) -> str:
    """Name what a figure is about.

    >>> [_kind(name) for name in ("sift.100.top.l2", "jaccard_links", "old_has_images", "same_structure")]
    ['top', 'links', 'images', 'blocks']
    """
    if name in VISUAL:
        return name.split(".")[2]
    return next((kind for kind, word in (("links", "link"), ("images", "image")) if word in name), "blocks")


def _told(kind: str, values: Mapping[str, float]) -> str:
    if kind in ("top", "whole"):
        part = "the first screen" if kind == "top" else "the page"
        distance = values[f"sift.200.{kind}.chi2"]
        return (
            f"{part} looks the same" if distance < _NOTHING else f"{part} looks different (χ² {10**distance:.4f})"
        )
    if kind in ("links", "images"):
        return f"{values[f'jaccard_{kind}']:.0%} of the {kind} are the same".replace("%", " %")
    if values["same_structure"] and values["no_insert_nor_delete"] and not values["has_update"]:
        return "the blocks are the same"
    where = "are in the same places" if values["same_structure"] else "are in other places"
    shares = ((deed, values[f"max_ratio_{deed}"]) for deed in ("insert", "delete", "update"))
    found = ", ".join(f"{share:.0%} {deed.removesuffix('e')}ed" for deed, share in shares)
    return f"the blocks {where}: {found}".replace("%", " %")
