"""The next prompt of a lane, within a budget."""
