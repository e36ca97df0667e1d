"""The MemoryProcessor: observations become the user's profile, one run of an owner at a time."""
