"""What recall, and the operations on what was learned, answer."""

from api.v1.answers.fields import (
    answer,
    anything,
    counts,
    flag,
    maybe,
    maybe_anything,
    maybe_moment,
    maybe_real,
    maybe_uuid,
    moment,
    number,
    objects,
    optional,
    page,
    real,
    results,
    row,
    text,
    texts,
    uuid,
)
from knowledge.models import Pattern
from recall.models import GoldenQuestion, Receipt

Beside = answer(
    "EventBeside",
    "What was said next to a result.",
    id=uuid(),
    text=text(),
    speaker=text(),
    tokens=number(),
    occurred_at=moment(),
)
RecallHit = answer(
    "RecallHit",
    "A result of one of the stores; what `source` holds depends on the store.",
    id=uuid(),
    store=text(),
    text=text(),
    score=real(),
    has_vector=flag(),
    tokens=number(),
    source=anything(),
    signals=optional(anything()),
    distance=optional(maybe_real()),
    speaker=optional(text()),
    occurred_at=optional(moment()),
    updated_at=optional(moment()),
    before=Beside(many=True, required=False),
    after=Beside(many=True, required=False),
)
RecallResults = results(
    "RecallResults", RecallHit, receipt=maybe_uuid(), searched_by=text(), degraded=maybe()
)
ReceiptDetail = row(
    "Receipt",
    "What a recall or a prompt contained, and what was left out.",
    Receipt,
    ("kind", "query", "profile", "searched_by", "tokens", "created_at"),
    items=objects(),
    left_out=objects(),
    session=maybe_uuid(),
    degraded=maybe(),
)
LearnedItem = answer(
    "LearnedItem",
    "A fact, the summary of a session or a rule: the fields of its kind, and why it was written.",
    id=uuid(),
    version=number(),
    is_active=flag(),
    is_pinned=flag(),
    is_quarantined=flag(),
    source_class=text(),
    source_session=maybe_uuid(),
    source_events=texts(),
    write_timing=text(),
    write_reason=text(),
    policy_version=text(),
    superseded_by=text(),
    dormant_at=maybe_moment(),
    created_at=moment(),
    last_referenced_at=moment(),
    **{
        name: optional(field)
        for name, field in {
            "category": text(),
            "subject_type": text(),
            "subject": text(),
            "predicate": text(),
            "object_type": text(),
            "object": text(),
            "evidence_quote": text(),
            "confidence": text(),
            "source_turn": number(),
            "session": uuid(),
            "started_at": moment(),
            "ended_at": moment(),
            "turn_count": number(),
            "themes": texts(),
            "summary": text(),
            "mood_opened": text(),
            "mood_closed": text(),
            "open_loops": texts(),
            "resolved_threads": texts(),
            "approach_used": text(),
            "text": text(),
            "evidence": texts(),
            "source": text(),
        }.items()
    },
)
LearnedPage = page("LearnedItemPage", LearnedItem)
OwnerName = answer("OwnerName", "Whose memory it is.", kind=text(), key=text())
MemoryStatus = answer(
    "MemoryStatus",
    "How much is known of a person.",
    mode=text(),
    owner=OwnerName(allow_null=True),
    counts=counts(),
    proactive_recall=flag(),
    shared=flag(),
    crisis_log_count=number(),
    session_feedback_count=number(),
)
RecallSwitch = answer("RecallSwitch", "Whether past sessions are raised.", proactive_recall=flag())
SharingSwitch = answer("SharingSwitch", "Whether other agents may read it.", shared=flag())
Forgotten = answer(
    "ForgottenItems",
    "What a query would forget; or what was forgotten, and what was not there.",
    would_forget=optional(objects()),
    forgotten=optional(objects()),
    missing=optional(objects()),
)
MemoryAsOf = answer(
    "MemoryAsOf",
    "What was known of a person at a moment.",
    at=moment(),
    facts=objects(),
    sessions=objects(),
    rules=objects(),
    narrative=maybe(),
    scaffold=maybe_anything(),
    proactive_recall=flag(),
)
PatternRow = row(
    "Pattern",
    "What comes back over a person's sessions.",
    Pattern,
    ("id", "kind", "text", "strength", "sessions", "sources", "first_seen_at", "last_seen_at"),
)
Patterns = answer("Patterns", "Patterns, the strongest first.", patterns=PatternRow(many=True))
Suggestion = answer(
    "ToolSuggestion",
    "A tool that requests of the kind have needed.",
    tool=text(),
    score=real(),
    reason=text(),
    pattern=uuid(),
    sessions=texts(),
)
Suggestions = answer("ToolSuggestions", "Tools, the best first.", suggestions=Suggestion(many=True))
Golden = row(
    "GoldenQuestion",
    "A question and what should come.",
    GoldenQuestion,
    ("query", "expected", "note", "created_at"),
    user=text(),
    receipt=maybe_uuid(),
)
GoldenPage = page("GoldenQuestionPage", Golden)
