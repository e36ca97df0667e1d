"""Keep an owner's mid-term memory to the newest sessions."""

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.embedding import nudge
from consolidation.queue import Run, holding
from memory.tiers import beyond, promote


def promote_the_oldest(run: Run, owner: Owner) -> int:
    """Move what is beyond the agent's number of sessions, one transaction each; return how many.

    A session that ended without a summary is found by the words of its details alone.
    """
    moved = 0
    for session in beyond(owner, owner.agent.mid_term_sessions):
        with holding(run):
            moved += promote(session=session, language=owner.agent.language)
            failpoint("promote.mid_apply")
            nudge()
    return moved
