"""Keep versions of web pages and ask them five questions."""
