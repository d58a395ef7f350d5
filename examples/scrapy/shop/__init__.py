"""A scraper of a shop whose selectors are watched."""
