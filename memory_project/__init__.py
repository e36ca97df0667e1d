"""Composition: settings, routes, server entry points and the commands that run the whole."""
