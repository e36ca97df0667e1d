"""Finding rows by any part of a word in them, by an index of the parts of their texts.

Migration 0014 of this app has the functions, and says what a part is.
"""

from collections.abc import Sequence

from django.contrib.postgres.search import SearchVectorField
from django.db.models import BooleanField, Expression, Func, Q, QuerySet, Value

# More rows than these are not named one by one: a word that so many have is soon met by reading on.
MOST_NAMED = 1_000
# More words than these leave nothing that the first of them did not.
MOST_WORDS = 32


def parts_of(*texts: str | Expression, owner: str | Expression = "owner") -> Func:
    """Return what a row is found by, as its index has it."""
    return Func(owner, *texts, function="accounts_parts", output_field=SearchVectorField())


def joined(field: str) -> Func:
    """Return the texts of an array as one."""
    return Func(field, function="accounts_joined")


def may_hold(rows: QuerySet, parts: Func, words: Sequence[str], *, owner: int | None = None) -> Q:
    """Return what all rows satisfy that hold these words, of one owner or of any; it asks at once.

    Where it is satisfied the words need not be there: the texts are compared besides.
    """
    if not words:
        return Q()
    few = list(words[:MOST_WORDS])
    asked = Func(Value(owner), Value(few), function="accounts_holding")
    holds = Func(
        parts,
        asked,
        template="%(expressions)s",
        arg_joiner=" @@ ",
        output_field=BooleanField(),
    )
    found = rows.order_by().filter(holds).values_list("pk", flat=True)
    keys = list(found[: MOST_NAMED + 1])
    return Q(pk__in=keys) if len(keys) <= MOST_NAMED else Q()
