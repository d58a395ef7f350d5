"""Kwon, Lee & Kim 2006: a precise metric for measuring how much web pages change."""
