"""Which template was a page made from?"""
