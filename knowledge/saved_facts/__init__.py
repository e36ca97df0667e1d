"""Saved facts: key and value, their categories, their salience."""
