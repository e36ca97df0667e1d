"""Vectors for everything that is searched by meaning, filled in the background."""
