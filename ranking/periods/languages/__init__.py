"""The words of time, one table for each language."""
