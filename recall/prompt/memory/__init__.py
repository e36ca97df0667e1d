"""The memory message of a prompt."""
