"""What prompts hold of an owner's workspace, learnings and saved facts, read together."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Owner
from knowledge.models import SavedFact
from knowledge.saved_facts.salience import TOP, top_facts
from knowledge.workspace.learnings import NOTHING_LEARNED, Learnings, last_learnings
from recall.search.questions.question import SearchMode
from recall.search.saved_facts import SavedHit, search_saved

MATCHING = 10


@dataclass(frozen=True, slots=True)
class Legion:
    """MEMORY.md and the learnings, the facts that matter most, and those that answer the question."""

    memory: str = ""
    learnings: Learnings = NOTHING_LEARNED
    salient: Sequence[SavedFact] = ()
    matching: Sequence[SavedHit] = ()


NOTHING_KEPT = Legion()


def load_legion(
    *, owner: Owner, question: str, memory: str = "", mode: SearchMode = SearchMode.HYBRID
) -> Legion:
    """Read it, in one statement where there are no more facts than are shown anyway.

    Nothing counts as an access: that a prompt holds a fact does not say that anyone used it.
    """
    salient = top_facts(owner, TOP + 1)
    matching: Sequence[SavedHit] = ()
    if len(salient) > TOP and question.strip():
        shown = {fact.pk for fact in salient[:TOP]}
        most = TOP + MATCHING
        hits = search_saved(owner=owner, query=question, limit=most, mode=mode).hits
        matching = [hit for hit in hits if hit.fact.pk not in shown][:MATCHING]
    return Legion(memory, last_learnings(owner), salient[:TOP], matching)
