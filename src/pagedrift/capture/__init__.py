"""How does a page get from the world into a version?"""
