"""Add, change and forget memories, whichever store holds them."""
