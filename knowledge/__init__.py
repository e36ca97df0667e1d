"""What is known: documents, facts, arcs, rules and profiles; never calls a model."""
