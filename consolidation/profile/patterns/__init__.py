"""What recurs over an owner's sessions."""
