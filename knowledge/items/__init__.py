"""Facts, arcs and rules: their rows, texts and tombstones."""
