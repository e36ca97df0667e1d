"""The job that has a profile's structure tidied alone: load, ask, decide, write."""

import orjson

from accounts.billing import charged_to
from accounts.models import Owner
from consolidation import prompts
from consolidation.errors import Postponed
from consolidation.jobs.backoff import call_seconds, postponed
from consolidation.jobs.queue import Attempt, enqueue, holding
from consolidation.models import SynthesisRun
from consolidation.profile.ask import models_of
from consolidation.profile.leaves.decide import decide
from consolidation.profile.parts.structure import known_of, structure
from consolidation.profile.parts.writer import ChangesetWriter, new_changeset
from consolidation.profile.request import may_synthesise
from extraction.contracts.profile import ProfileTidying, ScaffoldChange
from knowledge.profile.edit import Picture, read_profile
from knowledge.profile.items import open_profile, save_profile
from knowledge.profile.pointers import leaves
from providers.chat import Completion
from providers.errors import ProviderRefused, ProviderUnavailable, ReplyMalformed, RequestRejected
from providers.registry import chat_model_named
from recall.models import Receipt

KIND = "tidy_profile"
# A small profile is in order by itself, and keys do not drift in a few runs.
LEAST_LEAVES = 12
EVERY_RUNS = 20


def request_if_due(owner: Owner) -> None:
    """Make the job where a profile is large and was worked on often since it was tidied last."""
    if owner.agent.scaffold_keys or len(leaves(read_profile(owner).scaffold)) < LEAST_LEAVES:
        return
    receipts = Receipt.objects.filter(owner=owner, profile=prompts.TIDYING_VERSION)
    last = receipts.order_by("-created_at").first()
    runs = SynthesisRun.objects.filter(owner=owner, state=SynthesisRun.State.DONE)
    if (runs.filter(created_at__gt=last.created_at) if last else runs).count() >= EVERY_RUNS:
        enqueue(kind=KIND, key=str(owner.pk), subject=f"profile:{owner.pk}")


def run(job: Attempt) -> None:
    """Have the keys of a profile renamed. Raises Postponed; after its attempts the job is dead."""
    owner = Owner.objects.select_related("agent__organization").filter(pk=job.key).first()
    if owner is None or not may_synthesise(owner.agent):
        return
    picture = read_profile(owner)
    try:
        with charged_to(owner):
            completion = _ask(owner, picture)
    except (ProviderUnavailable, ProviderRefused) as error:
        raise postponed(error) from error
    except (ReplyMalformed, RequestRejected) as error:
        raise Postponed(error.code) from error
    with holding(job):
        _write(owner, picture, completion)


def _ask(owner: Owner, picture: Picture) -> Completion[ProfileTidying]:
    (name,) = (name for name, parts in models_of(owner.agent).items() if "scaffold" in parts)
    task = prompts.profile_tidying(orjson.dumps(picture.scaffold).decode())
    return chat_model_named(name).complete(task, seconds=call_seconds())


def _write(owner: Owner, picture: Picture, completion: Completion[ProfileTidying]) -> None:
    """Rename what is still as the model was shown it; what cannot be renamed stays."""
    changes = [
        ScaffoldChange(op="rename", path=one.path, to=one.to, reason="tidied")
        for one in completion.value.renames
    ]
    profile = open_profile(owner)
    writer = ChangesetWriter(
        profile, new_changeset(owner, f"tidying:{profile.scaffold.version}"), ()
    )
    structure(writer, decide(known_of(profile, dict(picture.scaffold)), changes, {}))
    save_profile(profile)
    if not writer.items:
        writer.made.delete()
    Receipt.objects.create(
        owner=owner,
        kind=Receipt.Kind.SYNTHESIS,
        query="",
        profile=prompts.TIDYING_VERSION,
        searched_by=completion.model[:40],
        items=[],
        left_out=[],
        tokens=completion.prompt_tokens + completion.completion_tokens,
    )
