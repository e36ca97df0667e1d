"""Messages of an inbox over HTTP."""

import pytest

from consolidation.models import ContextEvent
from knowledge.models import InboxItem
from tests.factories import run_jobs

URL = "/api/v1/inbox"
ITEM = {
    "id": "m1",
    "channel": "mail",
    "sender": "bob",
    "subject": "Travel",
    "text": "Your flight to Berlin leaves on Friday.",
    "received_at": "2026-05-08T00:00:00Z",
}


def send(client, *items):
    return client.post(URL, {"user": "alice", "items": list(items)}, format="json")


@pytest.mark.requirement("TS-13")
def test_messages_are_looked_through_in_the_background(api, porter):
    answer = send(api, ITEM, ITEM | {"id": "m2"}, ITEM)

    assert (answer.status_code, answer.json()) == (202, {"accepted": 2, "known": 1})
    assert not ContextEvent.objects.exists()
    run_jobs()
    assert {event.content for event in ContextEvent.objects.all()} == {
        "bob wrote: Your flight to Berlin leaves on Friday."
    }
    assert ContextEvent.objects.count() == 2
    assert not InboxItem.objects.waiting().exists()


def test_what_is_no_message_is_refused(api, porter):
    assert send(api).status_code == 422
    assert send(api, ITEM | {"received_at": "tomorrow"}).status_code == 422
    assert send(api, *[ITEM] * 101).status_code == 422
    porter.keeps_profile = False
    porter.save()
    assert send(api, ITEM).json()["code"] == "profile_off"
    assert not InboxItem.objects.exists()
