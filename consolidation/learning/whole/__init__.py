"""A turn asked about as a whole: one call of the model for both lanes."""
