"""Save a fact that somebody hands over, with its vector if one can be had at once."""

from django.db import transaction

from accounts.billing import charged_to
from accounts.models import Owner
from consolidation.embedding import saved_facts as saved_vectors
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact, embedded_text, save_facts
from memory.models import Session
from recall.search.questions.text_vectors import vector_of


def keep_fact(
    *, owner: Owner, fact: NewFact, source: str, session: Session | None = None
) -> SavedFact:
    """Save a fact; without a vector the words alone find it until the background job has made one."""
    with charged_to(owner, session=session.pk if session else None):
        found, _ = vector_of(owner.agent_id, embedded_text(fact))
    vectors = {fact.key: found} if found else {}
    with transaction.atomic():
        (saved,) = save_facts(
            owner=owner,
            facts=[fact],
            session=session.pk if session else None,
            source=source,
            vectors=vectors,
        )
        if found is None:
            saved_vectors.nudge()
    return saved
