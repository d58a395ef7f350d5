"""H. P. Khandagale, P. P. Halkarnikar: A Novel Approach for Web Page Change Detection System (2010)."""
