"""What a tool's result has attached is found in later conversations."""

import pytest

from accounts.owners import resolve_owner
from consolidation.intake import attachments
from consolidation.intake.accept import accept_events
from consolidation.jobs.queue import claim
from consolidation.models import Job
from knowledge.models import ContextDocument
from memory.messages import Draft
from memory.models import Event
from recall.search.context import retrieve
from tests.factories import make_session, run_jobs

LEASE = {"id": "a-1", "filename": "lease.pdf", "text": "The lease of the flat ends in May."}


@pytest.fixture
def session(porter):
    return make_session(porter)


def answered(session, attached, *, kind="ToolResultCommitted", text="One mail.") -> Event:
    payload = {"content": text, "name": "mail", "attachments": attached}
    call = "c-1" if kind == "ToolResultCommitted" else ""
    draft = Draft(type=kind, payload=payload, tool_call_id=call)
    (event,), _ = accept_events(agent=session.owner.agent, session=session, drafts=[draft])
    return event


def jobs():
    return Job.objects.filter(kind=attachments.KIND)


@pytest.mark.requirement("TS-16", "TS-56")
def test_the_text_of_an_attachment_is_found_with_its_links(session, porter):
    event = answered(session, [LEASE])
    run_jobs()

    alice = resolve_owner(agent=porter, user="alice")
    (hit,) = retrieve(owner=alice, query="When does the lease end?").hits
    assert hit.content == LEASE["text"]
    metadata = hit.metadata
    assert (metadata.message_id, metadata.attachment_id) == (event.reference, "a-1")
    assert (metadata.filename, metadata.tool_id) == ("lease.pdf", "mail")
    assert metadata.context_type == "tool_attachment_content"
    assert metadata.source == "tool_extracted_content"


@pytest.mark.requirement("TS-16")
def test_a_long_one_is_kept_in_passages(session):
    text = " ".join(f"Clause {number} binds the tenant of the flat." for number in range(60))
    answered(session, [LEASE | {"text": text}])
    run_jobs()

    assert ContextDocument.objects.count() > 2


@pytest.mark.parametrize("attached", [None, "x", {}, [], [7], [{}], [{"text": 7}], [{"text": " "}]])
def test_what_is_no_attachment_is_left_alone(session, attached):
    answered(session, attached)

    assert not jobs().exists()


def test_only_a_tool_s_result_has_attachments(session):
    answered(session, [LEASE], kind="ModelOutput")

    assert not jobs().exists()


def test_a_second_run_keeps_nothing_twice(session):
    event = answered(session, [LEASE])
    run_jobs()
    attachments.index_attachments(session=session, stored=[event])
    run_jobs()

    assert ContextDocument.objects.count() == 1


def test_nothing_is_kept_of_an_event_that_was_erased(session):
    answered(session, [LEASE])
    Event.objects.update(payload=None, salt=None)
    run_jobs()

    assert not ContextDocument.objects.exists()


def test_nothing_is_kept_of_an_event_that_is_gone(session):
    answered(session, [LEASE])
    Event.objects.all().delete()

    attachments.run(claim(jobs().get().pk))

    assert not ContextDocument.objects.exists()
