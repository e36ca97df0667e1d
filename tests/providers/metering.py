"""Somebody who pays for every call."""

from providers.metered import Settle, Use


def free(use: Use) -> Settle:
    return lambda took: None
