"""Storage: watches, versions, changes and alerts in the database."""
