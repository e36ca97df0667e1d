"""What each operation answers, as the schema says it."""
