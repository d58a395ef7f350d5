"""Pages served in place of the one that was asked for: errors, blocks, consent walls, logins, empty pages."""

from pagedrift.interstitials.recognition import PAGE, Kind, PageCheck, recognise

__all__ = ["PAGE", "Kind", "PageCheck", "recognise"]
