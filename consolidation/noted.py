"""Notes and saved facts that tell what is to be forgotten: somebody keeps them on purpose."""

from collections.abc import Sequence

from accounts.models import Owner
from consolidation.telling import Telling, may_tell, tells
from knowledge.models import Entry, SavedFact

MOST = 20


def notes_that_tell(owner: Owner, tellings: Sequence[Telling]) -> list[str]:
    """Return the names of at most MOST notes and saved facts that tell any of these."""
    notes = Entry.objects.filter(may_tell("content", tellings), owner=owner, kind=Entry.Kind.NOTE)
    saved = SavedFact.objects.filter(may_tell("value", tellings), owner=owner)
    texts = (*notes.values_list("name", "content"), *saved.values_list("key", "value"))
    return [name for name, text in texts if tells(text, tellings)][:MOST]
