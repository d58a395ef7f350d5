"""Notifications: alerts about changes, and the channels that deliver them."""
