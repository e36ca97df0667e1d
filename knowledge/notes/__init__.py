"""Notes: entries with names that an agent writes, and archives."""
