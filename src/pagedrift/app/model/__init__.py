"""Frozen values that the whole application passes around, independent of the database."""
