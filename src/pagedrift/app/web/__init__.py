"""Web interface: pages for people, an API for programs, and an origin for captured pages."""
