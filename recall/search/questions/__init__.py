"""A question made ready for the search: its terms, its vector, the periods it names."""
