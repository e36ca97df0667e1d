"""Which held candidates a session bears out."""
