"""Who calls, for whom, and whose memory a row is."""
