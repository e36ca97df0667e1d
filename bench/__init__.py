"""Measurements: they import and call the application, and nothing imports them."""
