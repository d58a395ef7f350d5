"""Which versions of pages does a web archive hold?"""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # FastWARC 1.1 warns of its own legacy part when imported
    import fastwarc  # noqa: F401
