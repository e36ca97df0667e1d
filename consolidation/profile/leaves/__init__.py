"""What becomes of each leaf of the profile's data, and how sure it is."""
