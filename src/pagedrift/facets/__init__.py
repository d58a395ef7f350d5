"""Facets: what can be read off one version of a page."""
