import pytest

from audit.models import AuditEntry
from consolidation.models import ContextEvent
from tests.admin.addresses import address
from tests.consolidation.profile.observed import observed, owner_of
from tests.factories import WHEN, make_agent


def put_back(client, event: ContextEvent) -> str:
    form = {"action": "put_back", "_selected_action": [event.pk]}
    return client.post(address(ContextEvent, "changelist"), form, follow=True).content.decode()


@pytest.fixture
def aside(db) -> ContextEvent:
    event = observed(owner_of(make_agent()), "Rex.")
    ContextEvent.objects.update(set_aside_at=WHEN, attempts=3, error_code="reply_malformed")
    event.refresh_from_db()
    return event


def test_observations_that_were_set_aside_are_put_back_and_this_is_recorded(desk, aside):
    assert "Put back 1" in put_back(desk, aside)

    aside.refresh_from_db()
    assert (aside.set_aside_at, aside.attempts) == (None, 0)
    assert AuditEntry.objects.get().action == "observations.put_back"


def test_who_may_only_look_puts_nothing_back(client, watcher, aside):
    client.force_login(watcher)

    put_back(client, aside)

    aside.refresh_from_db()
    assert aside.set_aside_at
