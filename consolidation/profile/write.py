"""Write what a run found: W, S, learned info and documents in one transaction, or nothing of it."""

from collections import Counter
from collections.abc import Sequence

from django.utils import timezone

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.errors import PlanStale
from consolidation.jobs.queue import Attempt, holding
from consolidation.models import ContextEvent, SynthesisRun
from consolidation.profile.ask import ProfileReply, words_of
from consolidation.profile.check import check_narrative
from consolidation.profile.claim import Claim, claimed, observed_of
from consolidation.profile.leaves.decide import LeafDecision, decide
from consolidation.profile.leaves.sides import ObservedEvent
from consolidation.profile.parts.ageing import lasting
from consolidation.profile.parts.documents import embed, learn, retire
from consolidation.profile.parts.narrative import NarrativeAnswer, narrate
from consolidation.profile.parts.structure import known_of, structure
from consolidation.profile.parts.writer import ChangesetWriter, new_changeset
from consolidation.prompts import PROFILE_VERSION
from knowledge.models import ChangeItem
from knowledge.profile.items import PARTS, Said, open_profile, save_profile
from recall.models import Receipt

Act, Kind = ChangeItem.Act, ChangeItem.Kind
MOST_CHARACTERS = 40


def write(job: Attempt, found: Claim, reply: ProfileReply) -> None:
    """Work an answer in, mark exactly the claimed observations, and end the run.

    A repetition changes nothing. Raises AnswerUnfit, PlanStale when an observation that the model
    was shown is gone, or LeaseLost; then nothing was written.
    """
    with holding(job):
        run = SynthesisRun.objects.select_for_update().get(pk=found.run.pk)
        events = claimed(run)
        if run.state not in SynthesisRun.OPEN:
            return
        if {str(event.pk) for event in events} != set(reply.events):
            raise PlanStale
        _apply(run, found.owner, [observed_of(event) for event in events], reply)
        failpoint("synthesis.before_mark")
        ContextEvent.objects.filter(pk__in=[event.pk for event in events]).update(
            processed=True, processed_at=timezone.now(), error_code=""
        )
        run.save()
    failpoint("synthesis.after_write")


def age(job: Attempt, owner: Owner) -> None:
    """Take out of the narrative what nobody has borne out for longer than the agent wants."""
    if owner.agent.narrative_days is None:
        return
    with holding(job):
        profile, now = open_profile(owner), timezone.now()
        told = lasting(profile.narrative.statements, owner.agent.narrative_days, now)
        if len(told) == len(profile.narrative.statements):
            return
        made = new_changeset(owner, f"ageing:{now.isoformat()}")
        after: Said = {"text": " ".join(one["text"] for one in told), "statements": told}
        ChangesetWriter(profile, made, ()).add(Kind.NARRATIVE, Act.EDIT, after=after, reason="aged")
        save_profile(profile)


def _apply(
    run: SynthesisRun, owner: Owner, events: Sequence[ObservedEvent], reply: ProfileReply
) -> None:
    answer, now = reply.answer, timezone.now()
    profile = open_profile(owner)
    check_narrative(answer.updated_working_memory, profile.narrative.text)
    writer = ChangesetWriter(profile, new_changeset(owner, f"synthesis:{run.pk}"), events)
    known = known_of(profile, reply.scaffold)
    decision = decide(known, answer.updated_scaffold, writer.refs)
    if profile.narrative.version == reply.narrative_version:
        told = NarrativeAnswer(
            answer.updated_working_memory,
            reply.statements,
            decision.contraries,
            words_of(owner.agent),
        )
        narrate(writer, told, writer.refs, now)
    failpoint("synthesis.after_narrative")
    structure(writer, decision)
    failpoint("synthesis.after_scaffold")
    decision.unfit += retire(writer, answer.retire, reply.ids, writer.refs) + reply.unfit
    learn(writer, events, reply.learned)
    decision.unfit += embed(writer, answer.facts_to_embed, writer.refs, decision.contraries)
    save_profile(profile)
    failpoint("synthesis.after_documents")
    _end(run, writer, decision, reply, events)


def _end(
    run: SynthesisRun,
    writer: ChangesetWriter,
    decision: LeafDecision,
    reply: ProfileReply,
    events: Sequence[ObservedEvent],
) -> None:
    """End the run and write its receipt, in the caller's transaction."""
    if not writer.items:
        writer.made.delete()
    receipt = Receipt.objects.create(
        owner=run.owner,
        kind=Receipt.Kind.SYNTHESIS,
        query="",
        profile=PROFILE_VERSION,
        searched_by=", ".join(dict.fromkeys(reply.models))[:MOST_CHARACTERS],
        items=[{"id": str(one.id), "type": one.type} for one in events],
        left_out=[{"path": one.path, "rule": one.rule} for one in decision.contraries],
        tokens=reply.tokens,
    )
    run.state, run.error_code, run.reply = SynthesisRun.State.DONE, "", None
    run.changeset = writer.made.pk if writer.items else None
    run.receipt, run.finished_at = receipt.pk, timezone.now()
    run.diagnostics = _counts(writer, decision, events)


def _counts(
    writer: ChangesetWriter, decision: LeafDecision, events: Sequence[ObservedEvent]
) -> dict[str, int]:
    written = Counter(item.kind for item in writer.items)
    return {
        "events": len(events),
        **{kind.value: written[kind] for kind in PARTS},
        "borne_out": len(decision.borne_out),
        "contradictions": len(decision.contraries),
        "unfit": decision.unfit,
    }
