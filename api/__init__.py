"""Agents speak here: keys, strict JSON, one error shape, and thin views over the functions below."""
