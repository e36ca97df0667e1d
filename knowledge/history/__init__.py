"""An owner's memory as it was at a moment."""
