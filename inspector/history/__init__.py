"""What became of memories: runs of changes, and a memory as it was."""
