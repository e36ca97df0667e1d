"""Accepting what happens: store it, and queue what is due."""
