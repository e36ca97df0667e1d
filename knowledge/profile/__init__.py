"""The user's profile: narrative, data, learned information."""
