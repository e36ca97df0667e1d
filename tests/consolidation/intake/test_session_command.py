"""`manage.py session`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from consolidation.intake.accept import accept_events
from memory.models import CompactMarker
from memory.snapshots import take_snapshot
from tests.factories import make_session, run_jobs, said


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def session_command(*words):
    out = StringIO()
    call_command("session", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def session(porter):
    found = make_session(porter)
    for place in range(5):
        drafts = [said(f"Question {place}?"), said("Answer.", "assistant")]
        accept_events(agent=porter, session=found, drafts=drafts)
    return found


@pytest.mark.requirement("CH-42")
def test_it_compacts_a_session(session):
    assert session_command("compact", str(session.pk)) == "scheduled\n"

    run_jobs()

    assert CompactMarker.objects.get().session == session
    shown = session_command("show", str(session.pk))
    assert "edge: 10 events, 6 of them folded" in shown
    assert "edge: command compaction applied" in shown


def test_it_restores_and_ends_a_session(session):
    take_snapshot(session=session)

    assert "both lanes are as they were" in session_command("restore", str(session.pk))
    assert session_command("end", str(session.pk)) == "ending\n"
    assert session_command("end", str(session.pk)) == "it has ended already\n"
    run_jobs()
    assert "promote done" in session_command("show", str(session.pk))


def test_it_says_what_is_wrong(session):
    with pytest.raises(CommandError, match="there is no session"):
        session_command("show", "01890a5d-ac96-774b-bcce-b302099a8057")
    with pytest.raises(CommandError, match="heartbeat takes one"):
        session_command("restore", str(session.pk))
