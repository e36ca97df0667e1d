import pytest

from audit import failpoint
from consolidation.intake.accept import accept_events
from knowledge.models import Forgetting
from memory.models import Session
from recall.models import GoldenQuestion, Receipt
from tests.admin.rows import fill_lanes, fill_learned, fill_profile
from tests.factories import WHEN, make_ended_session, make_session, said

# The word that the rows of tests/admin/rows.py hold.
CANARY = "trout"


def fill_person(agent, user: str = "alice") -> Session:
    """Give a person rows in every store, each with the canary in it."""
    session = make_ended_session(agent, ["the secret trout"], user=user)
    fill_lanes(session)
    fill_learned(session)
    fill_profile(session)
    receipt = Receipt.objects.create(owner=session.owner, kind="recall", query="the secret trout")
    GoldenQuestion.objects.create(
        owner=session.owner,
        query="the secret trout",
        expected=list(session.events.values_list("pk", flat=True)),
        receipt=receipt,
        note="the trout",
    )
    Forgetting.objects.create(
        owner=session.owner,
        actor="alice",
        items=1,
        contents={"narrative": [{"text": "the secret trout"}]},
        final_at=WHEN,
    )
    # Long ago: a fold is not made of what is just being forgotten.
    Forgetting.objects.update(made_at=WHEN)
    running = make_session(agent, user, external_id="trout talk", metadata={"about": "trout"})
    accept_events(agent=agent, session=running, drafts=[said("another trout")], key=f"{user} trout")
    return session


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    return settings.DATA_DIR


@pytest.fixture
def failpoints(monkeypatch, tmp_path):
    """Return the folder in which a test names where it wants a failure."""
    folder = tmp_path / "failpoints"
    folder.mkdir()
    monkeypatch.setattr(failpoint, "FOLDER", str(folder))
    return folder
