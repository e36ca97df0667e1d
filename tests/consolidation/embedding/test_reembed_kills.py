"""Killed at any place, the next run finishes it, and nothing is doubled."""

import signal
import threading

import pytest
from django.core.management import CommandError
from django.db import connection

from memory.models import Chunk, Embedding
from tests.consolidation.embedding.spaces import (
    NEW,
    TEXTS,
    act,
    found_by_vectors,
    reembed,
    states,
    vectors,
)
from tests.factories import make_ended_session
from tests.forked import begun, code_of, ended

REEMBED = ("reembed", "--yes")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("failpoint", "kept"),
    [("reembed.before_write", 0), ("reembed.mid_batch", 0), ("reembed.after_batch", 32)],
)
def test_a_killed_build_is_finished_by_the_next_with_nothing_doubled(
    porter, tmp_path, failpoint, kept
):
    make_ended_session(porter, [f"the gate number {number}" for number in range(70)])
    arguments = ("--model", "hashing", "--dimension", "64")

    assert ended(tmp_path, *REEMBED, *arguments, failpoint=failpoint) == -signal.SIGKILL
    assert vectors() == {384: 70, 64: kept}
    assert ended(tmp_path, *REEMBED, *arguments) == 0

    assert vectors() == {384: 70, 64: 70}
    assert states() == {384: "current", 64: "building"}
    documents = Embedding.objects.filter(space__dimension=64).values_list("document", flat=True)
    assert sorted(documents) == sorted(Chunk.objects.values_list("number", flat=True))


@pytest.mark.django_db(transaction=True)
def test_killed_switches_and_drops_are_finished_by_the_next(porter, tmp_path):
    owner = make_ended_session(porter, TEXTS).owner
    reembed(**NEW)

    assert (
        ended(tmp_path, *REEMBED, "--switch", failpoint="reembed.before_switch") == -signal.SIGKILL
    )
    assert states() == {384: "current", 64: "building"}
    assert (
        ended(tmp_path, *REEMBED, "--switch", failpoint="reembed.after_switch") == -signal.SIGKILL
    )
    assert states() == {384: "retired", 64: "current"}
    assert sorted(found_by_vectors(owner)) == sorted(TEXTS)
    assert ended(tmp_path, *REEMBED, "--drop", failpoint="reembed.mid_drop") == -signal.SIGKILL
    assert states() == {384: "dropping", 64: "current"}
    with pytest.raises(CommandError, match="no space was current before"):
        act("rollback")
    assert ended(tmp_path, *REEMBED, "--drop") == 0
    assert vectors() == {64: 3}


@pytest.mark.django_db(transaction=True)
def test_two_builds_at_once_double_nothing(porter, tmp_path):
    make_ended_session(porter, [f"the gate number {number}" for number in range(70)])
    arguments = ("--model", "hashing", "--dimension", "64")
    (tmp_path / "reembed.mid_batch").write_text("sleep 1")

    both = [begun(tmp_path, *REEMBED, *arguments) for _ in range(2)]

    assert [code_of(one) for one in both] == [0, 0]
    assert vectors() == {384: 70, 64: 70}


@pytest.mark.django_db(transaction=True)
def test_searches_at_the_same_time_as_switches_miss_nothing(porter):
    owner = make_ended_session(porter, TEXTS).owner
    reembed(**NEW)
    answers, is_over = [], threading.Event()

    def ask() -> None:
        while not is_over.is_set():
            answers.append(sorted(found_by_vectors(owner)))
        connection.close()

    asking = threading.Thread(target=ask)
    asking.start()
    act("switch")
    for _ in range(9):
        act("rollback")
    is_over.set()
    asking.join()

    assert len(answers) > 10
    assert set(map(tuple, answers)) == {tuple(sorted(TEXTS))}
