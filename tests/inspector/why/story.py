"""A session with everything a time line can show, and a prompt that held a fact."""

from consolidation.intake.accept import accept_events
from memory.messages import Draft, draft_of
from memory.models import Session
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from tests.consolidation.compaction.talks import compact, talk
from tests.contracts.stores import arc, fact, rule
from tests.factories import make_ended_session, make_session, said
from tests.recall.learned import keep, owner_of

QUESTION = "my boss called"
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "{{ 7|add:7 }}{% debug %}",
    "javascript:alert(4)",
)


def call_of(id: str, name: str, arguments: str) -> Draft:
    function = {"name": name, "arguments": arguments}
    call = {"id": id, "type": "function", "function": function}
    return draft_of({"role": "assistant", "tool_calls": [call]})


def answer_to(id: str, text: str) -> Draft:
    return draft_of({"role": "tool", "tool_call_id": id, "content": text})


def make_talk(agent, name: str = "bakery plan") -> Session:
    """Return a session with folds, tool calls and both lanes."""
    session = make_session(agent, external_id=name)
    talk(agent, session, 4)
    compact(session)
    job = Draft("CoreJobStart", {"content": "Compare the rents of three shops."}, "core")
    drafts = [
        said(QUESTION),
        job,
        call_of("call_1", "find_rents", '{"street": "Main Street"}'),
        answer_to("call_1", "Three shops: 900, 1100 and 1250 a month."),
        said("The cheapest shop is 900 a month.", "assistant", lane="core"),
        said("Noted: your boss called.", "assistant"),
    ]
    accept_events(agent=agent, session=session, drafts=drafts)
    return session


def make_receipt(agent, session: Session) -> Receipt:
    """Return the receipt of a prompt that held a fact, an arc, a rule and a passage."""
    make_ended_session(agent, ["My boss keeps a parrot.", "The weather is fine."])
    owner = owner_of(agent)
    keep(
        owner,
        fact("my boss is terrible"),
        fact("the cat worries me", "the cat"),
        arc("Talked of the boss."),
        rule("Answer in one line."),
    )
    prompt = assemble_context(session=session, query=QUESTION)
    return Receipt.objects.get(pk=prompt.receipt)
