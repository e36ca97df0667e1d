"""What the operations on a person answer: profile, observations, inbox, export and erasure."""

from api.v1.answers.fields import (
    answer,
    anything,
    counts,
    flag,
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

Narrative = answer(
    "Narrative", "What they are about now.", text=text(), statements=values(), version=number()
)
ProfileData = answer(
    "ProfileData", "Keys and values.", data=anything(), version=number(), entries=values()
)
LearnedInfo = answer("LearnedInfo", "Facts as sentences.", items=values(), version=number())
Profile = answer(
    "UserProfile",
    "What is known of a user, how sure each leaf is, and what it was learned from.",
    narrative=Narrative(),
    scaffold=ProfileData(),
    learned_info=LearnedInfo(),
    connections=objects(),
    contradictions=objects(),
    inbox_guidance=text(),
)
MemoryState = answer(
    "MemoryState",
    "The goals of the profile and the current context of the narrative.",
    goals=objects(),
    current_context=text(),
    scaffold_version=number(),
    narrative_version=number(),
)
OBSERVATION = {
    "id": uuid(),
    "state": text(),
    "event_type": text(),
    "content": text(),
    "source_metadata": anything(),
    "processed": flag(),
    "attempts": number(),
    "error_code": text(),
    "observed_at": moment(),
    "created_at": moment(),
    "processed_at": maybe_moment(),
}
Observation = answer("Observation", "What was noticed, and what became of it.", **OBSERVATION)
ObservationPage = page("ObservationPage", Observation)
Recorded = answer(
    "RecordedObservation",
    "An observation; of an incognito session nothing is recorded.",
    recorded=flag(),
    reason=optional(text()),
    **{name: optional(field) for name, field in OBSERVATION.items()},
)
Score = answer(
    "InboxScore", "How much an item matters, 0 to 1.", id=text(), score=real(), reason=text()
)
Scores = answer(
    "InboxScores",
    "Scores in the order of the items.",
    scores=Score(many=True),
    model=text(),
    degraded=maybe(),
)
Accepted = answer("AcceptedItems", "How many were new.", accepted=number(), known=number())
Rendered = answer("RenderedPlaybook", "A filled template.", text=text())
PageLink = answer(
    "PageLink", "A link that signs the person in once.", url=text(), expires_in_seconds=number()
)
ERASURE = {
    "id": uuid(),
    "state": text(),
    "progress": real(),
    "counts": anything(),
    "started_at": moment(),
    "finished_at": maybe_moment(),
    "error_code": text(),
    "certificate": maybe_anything(),
    "certificate_hash": text(),
}
Erasure = answer("Erasure", "How far an erasure is, and its certificate.", **ERASURE)
ErasurePreview = answer("ErasurePreview", "What would be deleted.", would_erase=anything())
Export = answer(
    "UserExport",
    "All that is known of a user; docs/privacy.md names its sections.",
    export=optional(text()),
)
Import = answer(
    "Import",
    "How far an import is.",
    id=uuid(),
    state=text(),
    progress=real(),
    counts=anything(),
    changeset=maybe_uuid(),
    started_at=moment(),
    finished_at=maybe_moment(),
    error_code=text(),
)
Vectors = answer("VectorForecast", "What vectors would cost.", tokens=number(), micro_usd=real())
ImportOrPreview = answer(
    "ImportOrPreview",
    "An import; with `dry_run` what it would take in.",
    would_import=optional(counts()),
    left_out=optional(anything()),
    vectors=Vectors(required=False),
    id=optional(uuid()),
    state=optional(text()),
    progress=optional(real()),
    counts=optional(anything()),
    changeset=optional(maybe_uuid()),
    started_at=optional(moment()),
    finished_at=optional(maybe_moment()),
    error_code=optional(text()),
)
