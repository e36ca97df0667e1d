"""The tools that an agent's model calls: one module per family, the same for every interface."""
