"""The queue: jobs in the database, claimed with a lease, tried again after a backoff."""
