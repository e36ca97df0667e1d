"""Answers to a recall request, with their receipts."""
