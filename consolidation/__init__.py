"""The write path: from what happened to what is known, in jobs that may run twice."""
