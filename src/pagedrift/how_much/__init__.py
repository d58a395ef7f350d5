"""How much of a page changed?"""
