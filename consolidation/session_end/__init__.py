"""The end of a session, step by step: summary, arc, promotion, vectors."""
