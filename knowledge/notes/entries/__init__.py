"""Entries under names and aliases: the rules and the search, whatever the store."""
