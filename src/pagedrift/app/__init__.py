"""The application: which watched pages changed, and who wants to know?"""
