"""Playbooks: templates of agents, filled in a sandbox."""
