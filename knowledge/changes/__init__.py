"""Changes of facts, arcs and rules: changesets, approval, corrections, reverts."""
