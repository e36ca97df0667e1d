"""Keep an owner's mid-term memory to the newest sessions."""

from collections.abc import Iterator

from django.conf import settings

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.embedding.chunks import nudge
from consolidation.jobs.queue import Attempt, holding
from memory.models import Session
from memory.tiers import apply_rule, beyond, promote


def keeps_vectors() -> bool:
    """Return whether passages of long-term memory keep their vectors, or its summaries alone."""
    return bool(settings.LONG_TERM_VECTORS == "passages")


def apply_the_rule() -> Iterator[int]:
    """Bring long-term memory under the setting as it is now; yield how many passages changed.

    One session at a time, each in a transaction of its own. What gets a vector again waits for it.
    """
    for session in Session.objects.filter(tier=Session.Tier.LONG_TERM).order_by("pk").iterator():
        yield apply_rule(session=session, keeps_vectors=keeps_vectors())
    nudge()


def promote_the_oldest(run: Attempt, owner: Owner) -> int:
    """Move what is beyond the agent's number of sessions, one transaction each; return how many.

    A session that ended without a summary is found by the words of its details alone.
    """
    moved = 0
    for session in beyond(owner, owner.agent.mid_term_sessions):
        with holding(run):
            moved += promote(
                session=session,
                language=owner.agent.language,
                keeps_vectors=keeps_vectors(),
            )
            failpoint("promote.mid_apply")
            nudge()
    return moved
