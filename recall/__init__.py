"""The read path: from stores to a prompt."""
