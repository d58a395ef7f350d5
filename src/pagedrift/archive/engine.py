"""What of FastWARC is used, imported without the warnings it gives of its own legacy part?"""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # FastWARC 1.1, on every import
    from fastwarc.warc import ArchiveIterator, WarcHeader, WarcRecordType

__all__ = ["ArchiveIterator", "WarcHeader", "WarcRecordType"]
