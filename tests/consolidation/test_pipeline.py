import socket
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string
from django_q.signing import SignedPackage

from consolidation.intake.accept import accept_events, end_session
from consolidation.jobs import schedules
from memory.models import Chunk, Embedding
from memory_project.programs import worker
from tests.factories import make_session, said


@pytest.fixture
def _no_service(monkeypatch):
    """Let nothing of ours open a connection; the database's driver has its own way."""

    def refuse(self: socket.socket, address: object) -> None:
        raise AssertionError(f"a connection to {address!r}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def work_off(rounds: int = 60) -> None:
    """Do as a worker of the queue does: take a package, find its function, call it."""
    broker = import_string(str(settings.Q_CLUSTER["broker_class"]))()
    for _ in range(rounds):
        for _, package in broker.dequeue() or []:
            task = SignedPackage.loads(package)
            import_string(task["func"])(*task["args"])


@pytest.mark.requirement("CH-78")
@pytest.mark.usefixtures("_no_service")
@pytest.mark.django_db(transaction=True)
def test_the_application_s_own_queue_makes_the_vectors(porter, monkeypatch):
    monkeypatch.setattr(schedules, "_ensured_at", [float("inf")])
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("My cat only eats trout.")])
    end_session(session=session, reason="explicit")
    connection.close()

    work_off(20)

    chunks = Chunk.objects.filter(session=session)
    assert chunks.count() > 0
    assert {chunk.embedding_state for chunk in chunks} == {"done"}
    assert Embedding.objects.count() == chunks.count()


@pytest.mark.requirement("CH-78")
def test_the_workers_are_a_command_of_the_application():
    _, program, command = worker().command

    assert Path(program) == settings.BASE_DIR / "manage.py"
    assert command == "qcluster"
    assert "django_q" in settings.INSTALLED_APPS
