"""What a person changes of their own memory by hand."""
