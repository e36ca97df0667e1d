"""Search: each store by its own formula, fused by rank."""
