"""When a lane is compacted, and down to what."""
