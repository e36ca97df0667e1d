"""A chat model made of rules: no key, no network, the same answer every time."""
