"""Does each change of a page of terms touch its content? Real pages over time, with labels."""
