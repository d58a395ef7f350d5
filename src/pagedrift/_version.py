"""The version of this release, written here alone."""

__version__ = "0.2.0"
