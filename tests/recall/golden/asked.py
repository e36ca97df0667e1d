"""What tests of golden questions share: memories, their events, and a question each setting answers otherwise."""

from memory.models import Event
from recall.answers.answer import recall
from recall.golden.keeping import keep_question
from recall.models import GoldenQuestion, Receipt
from recall.search.fuse import FusedQuestion
from tests.factories import make_ended_session

TEXTS = ["We planted tomatoes.", "The train was late.", "She plays the cello."]
QUERY = "what did we plant?"


def event_of(text: str) -> Event:
    return Event.objects.get(payload__content=text)


def receipt_of(owner, query: str = QUERY) -> Receipt:
    asked = recall(owner=owner, asked=FusedQuestion(query, 10))
    return Receipt.objects.select_related("owner__agent").get(pk=asked.receipt)


def golden(agent, query: str = QUERY, text: str = TEXTS[0], user: str = "alice") -> GoldenQuestion:
    """Return a question to a user's memory that should bring a text, which it makes if need be."""
    if not Event.objects.filter(payload__content=text).exists():
        make_ended_session(agent, TEXTS if text in TEXTS else [text], user=user)
    event = event_of(text)
    kept = keep_question(owner=event.owner, query=query, expected=[event.pk], actor="test")
    return kept.question
