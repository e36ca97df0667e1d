"""A person's memory is deleted wherever it is, step by step, and the deletion is proved."""
