"""Which versions of pages does a web archive hold?"""
