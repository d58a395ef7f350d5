"""Pagedrift inside other programs: Scrapy and pytest."""
