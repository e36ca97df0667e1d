"""The whole project, route by route: what is there, real rows to ask it for, and who asks."""
