"""Do the papers' results hold? One folder per paper, one file per table or figure."""
