"""Demonstration: a small town's web site, served from this machine, that changes by itself."""

from pagedrift.app.demo.site import DemoSite

__all__ = ["DemoSite"]
