"""Candidates that passed the gate, reconciled with what is known."""
