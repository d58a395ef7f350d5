"""Who is told, and how?"""
