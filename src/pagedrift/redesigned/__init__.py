"""Was the site redesigned?"""
