"""How are the same questions asked of collections that no single machine reads: where, what of them, by whom?"""
