"""How a session's learning stands, for whoever asks."""

from django.db.models import Count, QuerySet

from consolidation.models import Candidate, LearningRun
from memory.models import Session, SessionStep


def learning_of(session: Session) -> dict[str, object]:
    """Return how many turns were learned from and candidates found, and what its end counted.

    `ending` is None until the end has come that far.
    """
    step = SessionStep.objects.filter(session=session, name="learn").first()
    return {
        "runs": _by_lane(LearningRun.objects.filter(session=session)),
        "candidates": _by_lane(Candidate.objects.filter(session=session)),
        "ending": (step.details if step else None) or None,
    }


def _by_lane(rows: QuerySet[LearningRun] | QuerySet[Candidate]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {lane: {} for lane in Candidate.Lane.values}
    for lane, state, count in (
        rows.values_list("lane", "state").annotate(Count("pk")).order_by("state")
    ):
        found[lane][state] = count
    return found
