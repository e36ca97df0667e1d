"""The Markdown files that an agent keeps by hand, as real files that a person can read."""
