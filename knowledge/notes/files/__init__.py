"""Entries as files: one binary file, or a folder of Markdown."""
