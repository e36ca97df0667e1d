"""Extraction: what a chat model is to answer about a conversation, and rules that answer without one."""
