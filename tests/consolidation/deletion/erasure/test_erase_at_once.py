"""An erasure that is killed, met by another, or written past ends clean all the same."""

import signal
import threading

import pytest
from django.db import connection

from accounts.errors import ErasureUnderWay
from accounts.owners import resolve_owner
from audit.models import AuditEntry
from consolidation.deletion.erasure.job import advance
from consolidation.deletion.erasure.request import erase_owner
from consolidation.deletion.erasure.steps import residue
from consolidation.models import Erasure
from knowledge.models import Fact
from memory.errors import SessionClosed
from tests.consolidation.deletion.erasure.conftest import fill_person
from tests.factories import make_session
from tests.forked import ended

ERASE = ("erase", "alice", "--agent", "porter", "--yes")
pytestmark = pytest.mark.django_db(transaction=True)


def threaded(work, number: int) -> list[BaseException]:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


@pytest.mark.parametrize("failpoint", ["erase.begun", "erase.knowledge.Fact", "erase.finish"])
def test_a_killed_erasure_is_finished_by_whoever_comes_next(porter, tmp_path, failpoint):
    owner = fill_person(porter).owner

    assert ended(tmp_path, *ERASE, failpoint=failpoint) == -signal.SIGKILL
    erasure = Erasure.objects.first() or erase_owner(owner=owner, actor="test")
    while erasure.state == Erasure.State.RUNNING:
        erasure = advance(erasure)

    assert Erasure.objects.count() == 1
    assert residue([owner.pk]) == {}
    assert erasure.counts["knowledge.Fact"] == 1


def test_two_at_once_are_one(porter):
    owner = fill_person(porter).owner
    begun: list[Erasure] = []

    def work() -> None:
        erasure = erase_owner(owner=owner, actor="test")
        begun.append(erasure)
        while erasure.state == Erasure.State.RUNNING:
            erasure = advance(erasure)

    assert threaded(work, 3) == []
    assert len({one.pk for one in begun}) == 1
    assert Erasure.objects.get().counts["knowledge.Fact"] == 1
    assert AuditEntry.objects.filter(action="erasure.done").count() == 1


def test_what_is_written_meanwhile_is_gone_or_refused(porter):
    owner = fill_person(porter).owner
    fact = Fact.objects.get(owner=owner)
    go_on = threading.Event()
    refused: list[BaseException] = []

    def write() -> None:
        try:
            while not go_on.is_set():
                copy = Fact.objects.filter(pk=fact.pk).first() or fact
                copy.pk = None
                copy._state.adding = True
                copy.id = Fact._meta.pk.get_default()
                copy.save(force_insert=True)
                resolve_owner(agent=porter, user="alice")
                make_session(porter)
        except Exception as error:  # noqa: BLE001 - told to the test
            refused.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    erasure = erase_owner(owner=owner, actor="test")
    while erasure.state == Erasure.State.RUNNING:
        erasure = advance(erasure)
    go_on.set()
    for writer in writers:
        writer.join()

    assert residue([owner.pk]) == {}
    names = {type(one).__name__ for one in refused}
    assert names <= {ErasureUnderWay.__name__, SessionClosed.__name__, "IntegrityError"}
    assert refused
