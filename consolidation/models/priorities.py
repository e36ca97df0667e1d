"""The classes of jobs, in the order in which workers turn to them."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import IntegerChoices

# Whose turn a job of the installation takes.
NOBODY = UUID(int=0)


class Priority(IntegerChoices):
    """A job of a smaller number goes first; inside a class, organizations and owners take turns."""

    PERSON = 0, "a person waits"
    ENDING = 1, "a session ends"
    LEARNING = 2, "learning"
    BULK = 3, "in bulk"
    STUDY = 4, "learning in bulk"
    UPKEEP = 5, "upkeep"


# What may hold a worker for as long as a model answers: one worker is always left of these.
SLOW = (Priority.LEARNING, Priority.STUDY)
# What is not here is learning.
OF_KIND: Mapping[str, Priority] = {
    # The first two are short, and what shows that the workers live.
    "heartbeat": Priority.PERSON,
    "sweep": Priority.PERSON,
    "compact": Priority.PERSON,
    "erase": Priority.PERSON,
    "index_attachments": Priority.ENDING,
    "finalise": Priority.ENDING,
    "embed": Priority.BULK,
    "embed_documents": Priority.ENDING,
    "embed_learned": Priority.ENDING,
    "embed_saved": Priority.ENDING,
    "embed_context": Priority.ENDING,
    "import": Priority.BULK,
    "learn_session": Priority.STUDY,
    "reembed": Priority.UPKEEP,
    "snapshots": Priority.UPKEEP,
    "graphs": Priority.UPKEEP,
    "measures": Priority.UPKEEP,
    "prune": Priority.UPKEEP,
    "retention": Priority.UPKEEP,
    "decay": Priority.UPKEEP,
}


def priority_of(kind: str) -> Priority:
    return OF_KIND.get(kind, Priority.LEARNING)
