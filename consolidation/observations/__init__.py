"""Observations of a user: recorded now, worked into the profile later."""
