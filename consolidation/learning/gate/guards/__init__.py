"""Local guards: a check drops a candidate before the model is asked; a clamp corrects it."""
