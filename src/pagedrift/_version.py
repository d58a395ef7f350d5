"""The version of this release, written here alone."""

__version__ = "0.1.0"
