"""The places where a forgotten thing is told."""
