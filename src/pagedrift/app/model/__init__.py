"""Frozen values that the whole application passes around: they know no database."""
