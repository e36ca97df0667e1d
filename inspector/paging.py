"""Pages of long lists."""

from collections.abc import Sequence

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.utils.functional import cached_property

ROWS = 25
# Of what a search finds, nobody counts more, and no page lies behind them.
MOST_FOUND = 250


class FromBothEnds(Paginator):
    """Reads a page of the latter half from the end: what is skipped is read all the same."""

    def page(self, number: int | str) -> Page:
        number = self.validate_number(number)
        bottom = (number - 1) * self.per_page
        top = min(bottom + self.per_page, self.count)
        return Page(self._rows(bottom, top), number, self)

    def _rows(self, bottom: int, top: int) -> Sequence[Model]:
        rows = self._found()
        if bottom * 2 < self.count:
            return list(rows[bottom:top])
        return list(rows.reverse()[self.count - top : self.count - bottom])[::-1]

    def _found(self) -> QuerySet:
        rows = self.object_list
        assert isinstance(rows, QuerySet)  # noqa: S101 - narrows
        return rows


class SearchPage(FromBothEnds):
    """What a search found, counted as far as anybody looks."""

    @cached_property
    def has_more(self) -> bool:
        return self._counted > MOST_FOUND

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST_FOUND)

    @cached_property
    def _counted(self) -> int:
        # Without what the page shows of each: a count of some rows would reckon it.
        return self._found().order_by().values("pk")[: MOST_FOUND + 1].count()

    def _rows(self, bottom: int, top: int) -> Sequence[Model]:
        return list(self._found()[bottom:top])


def page_of(rows: QuerySet, number: str | None, *, is_search: bool = False) -> Page:
    """Return one page of rows in an order that has no ties; the nearest for a number that is none."""
    return (SearchPage if is_search else FromBothEnds)(rows, ROWS).get_page(number)
