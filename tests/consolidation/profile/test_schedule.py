"""When a round works on a profile."""

from datetime import timedelta

from django.utils import timezone

from consolidation.models import ContextEvent
from consolidation.profile.request import due_owners
from tests.consolidation.profile.observed import observed


def test_a_conversation_is_worked_in_once_it_is_quiet_or_has_waited_long(alice, settings):
    settings.SYNTHESIS_QUIET_SECONDS = 120
    begun = observed(alice, "I live in Lyon.")
    newest = observed(alice, "I bake bread.")
    now = timezone.now()

    def due_after(first: int, last: int) -> list[int]:
        for row, seconds in ((begun, first), (newest, last)):
            at = now - timedelta(seconds=seconds)
            ContextEvent.objects.filter(pk=row.pk).update(created_at=at)
        return due_owners(now)

    assert due_after(first=300, last=60) == []
    assert due_after(first=300, last=121) == [alice.pk]
    assert due_after(first=601, last=1) == [alice.pk]
