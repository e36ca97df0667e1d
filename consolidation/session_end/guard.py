"""What is made of an owner's log while a person has something of it forgotten, is not written."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from accounts.models import Owner
from consolidation.errors import Postponed
from consolidation.jobs.queue import Attempt, holding
from knowledge.items.rows import lock_memory
from knowledge.models import Forgetting

CODE = "forgotten_meanwhile"


def newest_forgetting(owner: Owner) -> UUID | None:
    """Return the newest act of forgetting; to be asked before the log is read."""
    acts = Forgetting.objects.filter(owner=owner).order_by("-pk")
    return acts.values_list("pk", flat=True).first()


@contextmanager
def holding_as_told(run: Attempt, owner: Owner, *, since: UUID | None) -> Iterator[None]:
    """Hold the job, and the memory: nothing more is forgotten until the block is written.

    Raises LeaseLost, or Postponed when something was forgotten or taken back since; then it is to
    be made anew, and nothing in the block happens.
    """
    with holding(run):
        lock_memory(owner)
        if newest_forgetting(owner) != since:
            raise Postponed(CODE, seconds=0, counts=False)
        yield
