"""Ledgers: append-only rows that name actors by text, so that they outlive them."""
