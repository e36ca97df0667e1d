"""An export taken into a person's memory."""
