"""What happens on a visit to a page, and when is the next one?"""
