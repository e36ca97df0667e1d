"""One file with all that an installation remembers, and the way back from it."""
