"""Monitoring: scheduled visits to pages, and what each visit does."""
