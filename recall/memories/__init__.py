"""Everything that is remembered of a user as memories of one shape, whichever store holds them."""
