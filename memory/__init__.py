"""What happened: sessions, their events, and the pieces they are found by; never calls a model."""
