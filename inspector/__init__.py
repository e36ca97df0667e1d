"""People look here: what an agent's sessions hold, and how far their end has come."""
