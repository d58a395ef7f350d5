"""What a version is, HTML or another kind of document, and how it is read so that it can be compared."""
