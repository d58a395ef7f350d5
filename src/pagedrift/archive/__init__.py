"""Web archives: reading page versions from them, and writing new ones."""
