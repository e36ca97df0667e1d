"""The playground: talk with an agent and see beside it what memory does."""
