"""The blocks of a memory message, as text."""
