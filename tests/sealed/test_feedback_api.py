"""The `feedback` of POST /sessions/{id}/end."""

import logging

import pytest
from django.db import connection

from accounts.sealed.keeping import waiting
from feedback.models import FeedbackRecord
from feedback.record import count_feedback
from memory.models import Session, SessionStep
from tests.factories import run_jobs

URL = "/api/v1/sessions"


@pytest.fixture
def session(api) -> str:
    """Return the address of alice's session with two turns of hers."""
    found = f"{URL}/{api.post(URL, {'user': 'alice'}, format='json').json()['id']}"
    turns = [{"role": role, "content": "x"} for role in ("user", "assistant", "user")]
    api.post(f"{found}/events", {"messages": turns}, format="json")
    return found


def end(api, session, **fields):
    return api.post(f"{session}/end", fields, format="json")


@pytest.mark.requirement("OC-58")
@pytest.mark.requirement("OC-66")
@pytest.mark.parametrize("label", ["positive", "negative", "skip"])
def test_a_label_is_recorded_with_the_count_of_turns(api, session, label):
    assert end(api, session, feedback=label).status_code == 200

    record = FeedbackRecord.objects.get()
    assert (record.label, record.turn_count_at_end, record.source) == (label, 2, "api_end")
    assert record.schema_version == 1
    assert len(record.session_opaque) == 64
    assert record.at is not None
    assert count_feedback(owner=Session.objects.get().owner) == 1


def test_it_is_recorded_before_anything_is_summarised(api, session):
    end(api, session, feedback="positive")

    assert FeedbackRecord.objects.exists()
    assert set(SessionStep.objects.values_list("state", flat=True)) == {"due"}


@pytest.mark.requirement("OC-66")
@pytest.mark.parametrize("label", ["great", "", 1, True, "POSITIVE"])
def test_another_label_is_refused_and_ends_nothing(api, session, label):
    assert end(api, session, feedback=label).status_code == 422
    assert Session.objects.get().is_open


@pytest.mark.parametrize("fields", [{}, {"feedback": None}])
def test_none_leaves_no_record(api, session, fields):
    assert end(api, session, **fields).status_code == 200
    assert not FeedbackRecord.objects.exists()


def test_the_first_label_of_a_session_counts(api, session):
    for label in ("positive", "negative"):
        assert end(api, session, feedback=label).status_code == 200

    assert FeedbackRecord.objects.get().label == "positive"


def test_a_failure_never_blocks_the_end_and_is_seen(api, session, caplog):
    with connection.cursor() as cursor:
        cursor.execute("alter table feedback_feedbackrecord rename to gone")

    with caplog.at_level(logging.ERROR):
        answer = end(api, session, feedback="negative")
    run_jobs()

    assert answer.status_code == 200
    assert Session.objects.get().state == "closed"
    assert "a record of feedback is not written yet" in caplog.text
    assert len(waiting) == 1
