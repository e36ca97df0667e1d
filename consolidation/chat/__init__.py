"""A turn of a conversation: what memory says, what a model answers, and both stored."""
