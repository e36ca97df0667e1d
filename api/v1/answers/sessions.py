"""What the operations on sessions answer."""

from api.v1.answers.fields import (
    answer,
    anything,
    counts,
    maybe,
    maybe_anything,
    maybe_moment,
    maybe_uuid,
    moment,
    number,
    objects,
    optional,
    page,
    real,
    text,
    uuid,
    values,
)

STORED = {
    "id": uuid(),
    "lane": text(),
    "seq": number(),
    "hash": maybe(),
    "tokens": number(),
}
SESSION = {
    "id": uuid(),
    "external_id": maybe(),
    "state": text(),
    "mode": text(),
    "strategy": maybe(),
    "metadata": anything(),
    "end_reason": maybe(),
    "opened_at": moment(),
    "last_event_at": maybe_moment(),
    "ended_at": maybe_moment(),
    "tier": maybe(),
    "summary": maybe(),
}
Session = answer("Session", "A conversation.", **SESSION)
SessionPage = page("SessionPage", Session)
Step = answer(
    "SessionStep", "A step of a session's end.", name=text(), state=text(), error_code=maybe()
)
Window = answer(
    "LaneWindow",
    "What of a lane a prompt shows.",
    lane=text(),
    start_seq=number(),
    kept=values(),
    last_seq=number(),
    summary_tokens=number(),
    calibration=real(),
)
Compaction = answer(
    "Compaction",
    "A run that compacted a lane.",
    lane=text(),
    strategy=text(),
    trigger=text(),
    state=text(),
    folded=number(),
    error_code=maybe(),
    at=moment(),
)
Chunks = answer("ChunkCounts", "Passages.", count=number(), waiting_for_a_vector=number())
# A session in incognito mode has none of what is stored.
SessionDetail = answer(
    "SessionDetail",
    "A session with its lanes, and how far its end has come. An incognito one has the first part.",
    **SESSION,
    lanes=optional(counts()),
    windows=Window(many=True, required=False),
    compactions=Compaction(many=True, required=False),
    steps=Step(many=True, required=False),
    chunks=Chunks(required=False),
    learning=optional(anything()),
)
EndedSession = answer("EndedSession", "A session that is ending.", **SESSION, steps=Step(many=True))
TranscriptAnswer = answer(
    "StoredTranscript",
    "A session that a whole conversation was stored in.",
    **SESSION,
    events=number(),
)
StoredEvent = answer("StoredEvent", "An event that is in the log for good.", **STORED)
StoredEvents = answer("StoredEvents", "What was appended.", events=StoredEvent(many=True))
Event = answer(
    "Event",
    "An event of the log; `payload` is null once erased.",
    **STORED,
    type=text(),
    payload=maybe_anything(),
    tool_call_id=text(),
    skill_phase=text(),
    occurred_at=moment(),
    committed_at=moment(),
)
EventPage = page("EventPage", Event)
Prompt = answer(
    "Prompt",
    "Messages ready for a chat API; `degraded` is the code of what was missing.",
    messages=objects(),
    tools=objects(),
    tokens=number(),
    receipt=maybe_uuid(),
    degraded=maybe(),
    turn=optional(anything()),
)
CompactOutcome = answer(
    "CompactOutcome", "Whether a compaction was scheduled.", outcome=text(), lane=text()
)
Heartbeat = answer(
    "Heartbeat",
    "The snapshot that was taken, and the rules of HEARTBEAT.md.",
    snapshot=number(),
    taken_at=moment(),
    lanes=anything(),
    rules=text(),
)
CrisisOutcome = answer("CrisisOutcome", "What became of a report.", outcome=text())
