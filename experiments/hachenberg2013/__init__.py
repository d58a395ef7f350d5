"""C. Hachenberg, T. Gottron: Locality Sensitive Hashing for Scalable Structural Classification (CIKM 2013)."""
