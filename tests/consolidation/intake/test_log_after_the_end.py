import pytest
from django.db import connection

from consolidation.intake.accept import accept_events, end_session
from memory.events import verify_chain
from memory.messages import draft_of
from memory.models import Chunk
from tests.factories import make_session, run_jobs, said

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def log(session) -> list[tuple]:
    """Return every column of every event, and where each row lies: a row written anew has moved."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select ctid::text, xmin::text, e::text from memory_event e where session_id = %s "
            "order by lane, seq",
            (session.pk,),
        )
        return cursor.fetchall()


@pytest.mark.requirement("CH-53")
def test_the_events_stay_as_they_are_beside_their_chunks(porter):
    session = make_session(porter)
    drafts = [
        said("What is the weather?"),
        draft_of({"role": "assistant", "tool_calls": [CALL]}),
        draft_of({"role": "tool", "content": "sunny", "tool_call_id": "c1"}),
        said("It is sunny. " * 200, "assistant"),
    ]
    accept_events(agent=porter, session=session, drafts=drafts)
    before = log(session)

    end_session(session=session, reason="explicit")
    run_jobs()

    assert len(before) == len(drafts)
    assert log(session) == before
    assert verify_chain(session) == []
    chunks = Chunk.objects.filter(session=session, tier=Chunk.Tier.MID_TERM)
    assert {chunk.kind for chunk in chunks} >= {"tool_sequence", "fixed"}
