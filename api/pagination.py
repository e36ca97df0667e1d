"""Cursor pages: the cursor is the place after which the next page begins."""

from collections.abc import Sequence
from typing import TypeVar

Row = TypeVar("Row")
MOST_ROWS = 200


def page(rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], bool]:
    """Split one row more than a page into the page and whether there is another.

    The caller asks the database for `limit + 1` rows.
    """
    return rows[:limit], len(rows) > limit
