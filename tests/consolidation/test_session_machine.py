"""Whatever happens in whatever order, nothing of a session is lost, doubled or torn apart."""

from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from accounts.models import Owner
from audit import failpoint
from consolidation.models import Job
from providers.registry import CHAT_MODELS, chat_model
from tests.consolidation.scripted_chat import Killed, ScriptedChat
from tests.consolidation.session_machine import SessionMachine
from tests.consolidation.world import World
from tests.factories import make_agent

LONG_STEPS = 2_000
COMMON = settings(
    deadline=None,
    database=None,
    print_blob=True,
    # A failure is shown as it was found: to shrink it takes longer than to read it.
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def make(tmp_path, monkeypatch, settings):
    """Return what builds a world in an empty database, with a model and failpoints of its own."""
    failpoints = tmp_path / "failpoints"
    failpoints.mkdir()
    monkeypatch.setattr(failpoint, "FOLDER", str(failpoints))
    monkeypatch.setattr(failpoint, "FailpointReached", Killed)
    settings.DATA_DIR = tmp_path
    settings.CHAT = "scripted"
    numbers = count(1)

    def build(fields: dict[str, int]) -> World:
        Job.objects.all().delete()
        Owner.objects.all().delete()
        chat = ScriptedChat()
        monkeypatch.setitem(CHAT_MODELS, "scripted", lambda: chat)
        chat_model.cache_clear()
        agent = make_agent(f"agent_{next(numbers)}", **fields)
        return World(agent, chat, failpoints)

    yield build
    chat_model.cache_clear()


def run(found, **options) -> int:
    """Live through examples; return the number of steps."""

    class Machine(SessionMachine):
        make = staticmethod(found)

    run_state_machine_as_test(Machine, settings=settings(COMMON, **options))
    return Machine.steps


@pytest.mark.requirement("CH-47")
@pytest.mark.requirement("CH-49")
@pytest.mark.requirement("CT-21")
@pytest.mark.requirement("CT-22")
@pytest.mark.requirement("OL-11")
@pytest.mark.requirement("OL-12")
@pytest.mark.requirement("XX-02")
def test_a_short_life_keeps_everything(make):
    run(make, max_examples=3, stateful_step_count=20, derandomize=True)


@pytest.mark.full
@pytest.mark.timeout(3_600)
def test_long_lives_keep_everything(make):
    steps = run(make, max_examples=60, stateful_step_count=60)

    assert steps >= LONG_STEPS
