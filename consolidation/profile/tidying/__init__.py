"""Once in a while the keys of a profile are put in order; no value changes."""
