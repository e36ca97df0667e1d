"""An OpenAI-compatible chat API at /v1 that recalls before an answer and remembers after it."""
