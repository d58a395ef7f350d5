"""Whole crawls: one against another, and which of their captures to keep."""
