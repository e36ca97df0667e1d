"""What every prompt must be, whatever has been folded."""

from memory.budget import estimate_message
from memory.messages import call_ids, text_of
from recall.prompt.assembly import Prompt
from tests.consolidation.world import Tracked


def check_prompt(
    prompt: Prompt, tracked: Tracked, lane: str, most: float, calibration: float
) -> None:
    """Check that a prompt keeps its budget and holds what it must, whole, and nothing that has left."""
    events, folded = tracked.lanes[lane].events, tracked.lanes[lane].folded
    counted = sum(estimate_message(text_of(message)) for message in prompt.messages)
    assert int(counted * calibration) <= prompt.tokens <= most
    texts = {text_of(message) for message in prompt.messages}
    seqs = [*tracked.lanes[lane].numbers("CoreJobStart")]
    seqs += tracked.lanes[lane].numbers("UserMsg")[-1:]
    assert {text_of(events[seq - 1].payload) for seq in seqs} <= texts
    spoken = [message for message in prompt.messages if message["role"] != "system"]
    by_text = {text_of(draft.payload): seq for seq, draft in enumerate(events, 1)}
    shown = [by_text[text_of(message)] for message in spoken]
    assert not (set(shown) - set(tracked.lanes[lane].numbers("UserMsg"))) & folded
    called = {call for message in spoken for call in call_ids(message)}
    results = {str(message["tool_call_id"]) for message in spoken if message["role"] == "tool"}
    assert results <= called
    stored = {draft.tool_call_id for draft in events if draft.tool_call_id}
    assert called & stored == results
