"""The web application: watches pages, keeps their versions and sends alerts about changes."""
