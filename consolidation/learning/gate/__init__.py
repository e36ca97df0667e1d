"""The gate: nothing a model proposes is written without a verdict."""
