"""Receipts: what a recall or a prompt contained, and why."""
