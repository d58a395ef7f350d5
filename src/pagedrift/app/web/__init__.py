"""How does the application look in a browser?"""
