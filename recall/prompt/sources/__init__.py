"""What a memory message is made of, read from the stores."""
