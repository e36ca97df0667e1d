import pytest

from audit.models import AuditEntry
from consolidation.intake.accept import accept_events
from consolidation.models import Job
from memory.models import Session
from tests.admin.addresses import address
from tests.factories import make_ended_session, make_session, said


def test_selected_sessions_are_ended_and_each_end_is_recorded(desk, porter):
    running = make_session(porter, external_id="running")
    ended = make_ended_session(porter, ["one thing"])
    form = {"action": "end", "_selected_action": [running.pk, ended.pk]}

    page = desk.post(address(Session, "changelist"), form, follow=True)

    running.refresh_from_db()
    assert (running.state, running.end_reason) == ("closing", "web")
    assert Job.objects.filter(kind="finalise", key=str(running.pk), state="due").exists()
    assert AuditEntry.objects.get(action="session.end").subject == str(running.pk)
    assert "Ending 1" in page.content.decode()


def test_who_may_only_look_is_not_offered_to_end(client, porter, watcher):
    session = make_session(porter)
    client.force_login(watcher)
    form = {"action": "end", "_selected_action": [session.pk]}

    client.post(address(Session, "changelist"), form)

    session.refresh_from_db()
    assert session.is_open


@pytest.mark.requirement("CH-42")
def test_selected_sessions_are_compacted_and_each_lane_is_recorded(desk, porter):
    session, ended = make_session(porter), make_ended_session(porter, ["one thing"])
    for _ in range(4):
        drafts = [said("What shall we cook?"), said("Pasta.", "assistant")]
        accept_events(agent=porter, session=session, drafts=drafts)
    form = {"action": "compact", "_selected_action": [session.pk, ended.pk]}

    page = desk.post(address(Session, "changelist"), form, follow=True)

    assert Job.objects.get(kind="compact", state="due").key == f"{session.pk}:edge:admin"
    recorded = AuditEntry.objects.filter(action="session.compact").order_by("pk")
    assert [entry.detail for entry in recorded] == [
        {"lane": "edge", "outcome": "scheduled"},
        {"lane": "core", "outcome": "nothing_to_compact"},
    ]
    told = "Lanes: 1 nothing_to_compact, 1 scheduled, 2 session_closed."
    assert told in page.content.decode()
