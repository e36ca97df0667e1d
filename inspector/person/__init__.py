"""What is remembered of a person, for that person to read, correct and forget."""
