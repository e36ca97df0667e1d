"""People look here."""
