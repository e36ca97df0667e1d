"""The contracts of a chat model's replies about learning."""
