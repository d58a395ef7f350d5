"""Which selectors of a scraper still work, and what are the others now?"""

from pagedrift.selectors.expressions import Range, Region, Selector
from pagedrift.selectors.relocation import Proposal, Relocation, Relocator, SelectorStatus, relocate

__all__ = ["Proposal", "Range", "Region", "Relocation", "Relocator", "Selector", "SelectorStatus", "relocate"]
