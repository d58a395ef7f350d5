"""Answers, put into words, tables and data."""
