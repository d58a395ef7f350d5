"""Which 41 figures does the judge of Law et al. 2012 use? Both readings, where the paper leaves it open."""

from __future__ import annotations

from math import log1p, log10
from typing import TYPE_CHECKING, Final

from pagedrift.does_it_matter.block_changes import Delta, compare_blocks
from pagedrift.does_it_matter.blocks import segment
from pagedrift.does_it_matter.text_changes import jaccard_distance

if TYPE_CHECKING:
    from pagedrift.does_it_matter.blocks import VisualBlock
    from pagedrift.facets.view import View

JACCARD: Final = ("jaccard_links", "jaccard_images")
_MAX_BLOCKS: Final = 10  # the authors' own program counts no further
STRUCTURAL: Final = (
    "same_structure has_update has_delete has_insert n_update_tree n_delete_tree n_insert_tree "
    "no_insert_nor_delete n_deleted_blocks n_inserted_blocks n_updated_blocks old_has_links "
    "new_has_links old_has_images new_has_images "
    "jaccard_links jaccard_images jaccard_link_ids jaccard_image_ids max_ratio_delete min_ratio_delete "
    "max_ratio_update min_ratio_update max_ratio_insert min_ratio_insert n_blocks_old n_blocks_new"
).split()
# The paper counts 25; its authors' program writes 27. Which two it left out is not said.
READINGS: Final = {
    "paper25a": tuple(name for name in STRUCTURAL if not name.startswith("n_blocks")),
    "paper25b": tuple(name for name in STRUCTURAL if name not in ("jaccard_link_ids", "jaccard_image_ids")),
}
VISUAL: Final = tuple(
    f"{kind}.{words}.{part}.{metric}"
    for kind in ("sift", "color")
    for words in (100, 200)
    for part in ("whole", "top")
    for metric in ("l2", "chi2")
)

PAPER: Final = (*READINGS["paper25a"], *VISUAL)
_NEAREST: Final = 1e-5  # distances below are as good as none


def paper_features(old: View, new: View) -> dict[str, float]:
    """Give all figures about two views with pictures: those of both readings, and those of the pictures."""
    return structural_features(segment(old), segment(new)) | picture_features(old, new)


def picture_features(old: View, new: View, **how: int) -> dict[str, float]:
    """Give the distances of two pictures on a logarithmic scale, on which they do not crowd at 0."""
    from pagedrift.does_it_matter.codebook import describe, visual_features

    before, after = (describe(view.picture or b"", **how) for view in (old, new))
    return {name: log10(max(value, _NEAREST)) for name, value in visual_features(before, after).items()}


def structural_features(old: VisualBlock, new: VisualBlock, delta: Delta | None = None) -> dict[str, float]:
    """Give the figures that compare the blocks of two versions; counts on a scale where little more counts less."""
    delta = delta or compare_blocks(old, new)
    sizes = tuple(sum(1 for _ in page.walk()) for page in (old, new))
    whole = {deed: delta.count(deed, blocks=True) for deed in ("delete", "insert")} | {
        "update": delta.updated_blocks
    }
    anywhere = {deed: delta.count(deed) for deed in ("update", "delete", "insert")}
    figures: dict[str, float] = {"same_structure": delta.same_structure}
    figures |= {f"has_{deed}": count > 0 for deed, count in anywhere.items()}
    figures |= {f"n_{deed}_tree": log1p(count) for deed, count in anywhere.items()}
    figures["no_insert_nor_delete"] = not anywhere["insert"] and not anywhere["delete"]
    figures |= {f"n_{deed.removesuffix('e')}ed_blocks": log1p(count) for deed, count in whole.items()}
    for deed, count in whole.items():
        ratios = [count / size for size in sizes]
        figures |= {f"max_ratio_{deed}": max(ratios), f"min_ratio_{deed}": min(ratios)}
    figures |= {"n_blocks_old": min(sizes[0], _MAX_BLOCKS), "n_blocks_new": min(sizes[1], _MAX_BLOCKS)}
    return {name: float(value) for name, value in (figures | _content_features(old, new)).items()}


def _content_features(old: VisualBlock, new: VisualBlock) -> dict[str, float]:
    """Compare what the blocks lead to and show. Two versions without links share them all."""
    links = tuple({item for leaf in page.leaves() for item in leaf.links} for page in (old, new))
    images = tuple({item for leaf in page.leaves() for item in leaf.images} for page in (old, new))
    addresses = tuple({item.address for item in side} for side in links)
    sources = tuple({item.address for item in side} for side in images)
    return {
        "old_has_links": bool(links[0]),
        "new_has_links": bool(links[1]),
        "old_has_images": bool(images[0]),
        "new_has_images": bool(images[1]),
        "jaccard_links": 1 - jaccard_distance(*addresses),
        "jaccard_images": 1 - jaccard_distance(*sources),
        "jaccard_link_ids": 1 - jaccard_distance(*links),
        "jaccard_image_ids": 1 - jaccard_distance(*images),
    }
