"""How sessions were liked, sealed: labels and pseudonyms for the auditor, never for a prompt."""
