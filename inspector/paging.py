"""Pages of long lists."""

from collections.abc import Sequence

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet

ROWS = 25


class FromBothEnds(Paginator):
    """Reads a page of the latter half from the end: what is skipped is read all the same."""

    def page(self, number: int | str) -> Page:
        number = self.validate_number(number)
        bottom = (number - 1) * self.per_page
        top = min(bottom + self.per_page, self.count)
        return Page(self._rows(bottom, top), number, self)

    def _rows(self, bottom: int, top: int) -> Sequence[Model]:
        rows = self.object_list
        assert isinstance(rows, QuerySet)  # noqa: S101 - narrows
        if bottom * 2 < self.count:
            return list(rows[bottom:top])
        return list(rows.reverse()[self.count - top : self.count - bottom])[::-1]


def page_of(rows: QuerySet, number: str | None) -> Page:
    """Return one page of rows in an order that has no ties; the nearest for a number that is none."""
    return FromBothEnds(rows, ROWS).get_page(number)
