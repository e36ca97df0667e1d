"""What counts where nobody has said anything else."""

import pytest

from accounts.models import Agent
from memory_project import settings


@pytest.mark.requirement("CH-04")
def test_mid_term_memory_holds_ten_sessions():
    assert Agent().mid_term_sessions == 10


@pytest.mark.requirement("CH-15")
@pytest.mark.requirement("CH-41")
def test_a_window_holds_fifty_events_and_folds_at_eighty_percent():
    assert (Agent().window_events, Agent().compact_share) == (50, 0.8)


@pytest.mark.requirement("CH-73")
def test_a_summary_may_take_thirty_seconds():
    assert settings.SUMMARY_SECONDS == 30
