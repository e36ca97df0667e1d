"""Deletion: a forget request, its undo, retention, and the erasure of a person."""
