"""The spiders of the shop."""
