"""Vectors are taken out of a database and come back, every row as it was."""

import pytest
from django.db import connection

from bench.states import STATES, Vectors
from memory.models import Chunk, Embedding
from tests.factories import make_ended_session


@pytest.fixture
def vectors(porter, transactional_db) -> Vectors:
    session = make_ended_session(porter, [f"sentence number {n}" for n in range(40)])
    old = Chunk.objects.filter(session=session, number__lte=10)
    old.update(tier=Chunk.Tier.LONG_TERM_DETAIL)
    raw = connection.connection
    kept = Vectors(raw)
    kept.keep()
    return kept


def rows() -> list[tuple]:
    return sorted(
        (number, str(vector))
        for number, vector in Embedding.objects.values_list("document", "embedding")
    )


@pytest.mark.parametrize("name", STATES)
def test_each_state_lacks_what_it_says_and_everything_comes_back(vectors, name):
    before = rows()
    count = {"words": 0, "none": 0, "recent": 30, "all": 40}

    left = vectors.become(STATES[name])

    assert left == count.get(name, left)
    assert name in count or 0 < left < 40
    vectors.bring_back()
    assert rows() == before
