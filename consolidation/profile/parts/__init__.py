"""The parts of a profile that a run writes: narrative, data, documents."""
