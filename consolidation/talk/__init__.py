"""A turn of a conversation: what memory says, what a model answers to it, and both kept."""
