"""Detected crises, sealed: codes and pseudonyms for the auditor, never for a prompt."""
