"""How do watches come in from other tools, and go out again?"""
