"""Does a new member of a registry keep the laws of its kind? Checks to run on it, and pages to run them on."""
