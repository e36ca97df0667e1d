"""Why an agent said that: a session on one time line, its prompt, and the receipts of answers."""
