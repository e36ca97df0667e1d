"""The search over messages of ended sessions, as one SQL statement."""
