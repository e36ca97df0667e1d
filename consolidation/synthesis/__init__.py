"""The MemoryProcessor: observations become the picture of a user, one run of an owner at a time."""
