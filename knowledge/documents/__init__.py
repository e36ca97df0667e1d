"""Documents: the agent's knowledge and the user's context documents."""
