"""Local guards: one file each, pure. A check drops before the model is asked; a clamp corrects it."""
