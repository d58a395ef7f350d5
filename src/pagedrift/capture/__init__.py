"""Capturing pages: from files, servers, feeds, web archives and a browser."""
