"""Entries under names and aliases: the rules, the search, and the store that is one file (pure)."""
