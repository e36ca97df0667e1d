"""Fold the oldest events of a lane into a summary; nothing is lost, and nothing waits for it."""
