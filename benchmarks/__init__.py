"""How fast is it, as ratios to peers measured in the same run?"""
