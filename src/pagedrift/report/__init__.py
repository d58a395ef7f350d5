"""Reports: answers as text, tables, pictures, web pages and data."""
