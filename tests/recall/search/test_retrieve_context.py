"""Documents of V come back for their own user alone, nearest first."""

import time
from uuid import uuid4

import numpy as np
import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pgvector import HalfVector

from accounts.errors import OwnerMissing
from accounts.models import Connection
from accounts.owners import resolve_owner
from consolidation.embedding import fill as filling
from consolidation.embedding.context import keep_context
from knowledge.documents.context import NewDocument
from knowledge.models import ContextDocument
from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from providers.hashing import HashingEmbedder
from providers.registry import embedder
from recall.search import context
from recall.search.context import retrieve
from recall.search.questions import question as questions
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import CALIBRATED
from tests.factories import make_agent, run_jobs

SEATS, DOG = "Prefers window seats on trains.", "Has a dog named Rex."


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


@pytest.fixture
def bob(porter):
    return resolve_owner(agent=porter, user="bob")


def keep(owner, *documents, embed=True):
    wanted = [NewDocument(one) if isinstance(one, str) else one for one in documents]
    ids = keep_context(owner=owner, documents=wanted)
    if embed:
        run_jobs()
    return ids


def texts(found) -> list[str]:
    return [hit.content for hit in found.hits]


@pytest.fixture
def down(monkeypatch):
    """Let the model of questions be down."""

    def fail(*args, **kwargs):
        raise ProviderUnavailable("down")

    monkeypatch.setattr(questions, "embedder_for", fail)


@pytest.mark.requirement("TS-64")
def test_the_nearest_come_first_with_their_distance(alice):
    keep(alice, DOG, SEATS, "window seats")

    found = retrieve(owner=alice, query="window seats")

    assert texts(found)[:2] == ["window seats", SEATS]
    distances = [hit.distance for hit in found.hits]
    assert distances == sorted(distances)
    assert distances[0] == pytest.approx(0, abs=1e-3)
    assert (found.searched_by, found.degraded) == ("vectors", "")


@pytest.mark.requirement("TS-20")
def test_there_are_five_unless_asked_otherwise(alice):
    keep(alice, *[f"Seat {number} is by the window." for number in range(9)])

    assert len(retrieve(owner=alice, query="window").hits) == 5
    assert len(retrieve(owner=alice, query="window", limit=7).hits) == 7


@pytest.mark.requirement("TS-51", "TS-57")
@pytest.mark.parametrize("is_down", [False, True])
def test_the_same_text_of_another_user_or_agent_is_never_found(alice, bob, is_down, request):
    elsewhere = resolve_owner(agent=make_agent("baker"), user="alice")
    mine = keep(alice, SEATS)
    keep(bob, SEATS, "window seats window seats")
    keep(elsewhere, SEATS)
    if is_down:
        request.getfixturevalue("down")

    found = retrieve(owner=alice, query="window seats", limit=50)

    assert [hit.id for hit in found.hits] == mine
    assert found.hits[0].metadata.user_id == str(alice.user_id)


@pytest.mark.requirement("TS-51")
@pytest.mark.django_db
def test_it_refuses_to_search_without_a_user():
    with pytest.raises(OwnerMissing):
        retrieve(owner=None, query="window seats")


@pytest.fixture
def mail(alice):
    return Connection.objects.create(owner=alice, tool="mail")


@pytest.fixture
def trips(alice):
    return Connection.objects.create(owner=alice, tool="trips", is_active=False)


@pytest.fixture
def scoped(alice, mail, trips):
    keep(
        alice,
        "window seats for everybody",
        NewDocument("window seats by mail", connection=mail.pk),
        NewDocument("window seats of trips", connection=trips.pk),
    )


@pytest.mark.requirement("TS-57", "TS-59")
@pytest.mark.parametrize("is_down", [False, True])
def test_a_fact_of_an_inactive_connection_is_never_found(alice, scoped, mail, is_down, request):
    if is_down:
        request.getfixturevalue("down")

    def found(active):
        hits = retrieve(owner=alice, query="window seats", active_connections=active).hits
        return {hit.content.split(" ", 2)[2] for hit in hits}

    assert found(None) == {"for everybody", "by mail"}
    assert found([]) == {"for everybody"}
    assert found([mail.pk]) == {"for everybody", "by mail"}


@pytest.mark.requirement("TS-57")
def test_a_connection_that_the_conversation_names_is_active_in_it(alice, scoped, trips):
    found = retrieve(owner=alice, query="window seats", active_connections=[trips.pk])

    assert {hit.metadata.connection_id for hit in found.hits} == {None, trips.pk}


@pytest.mark.requirement("TS-54", "TS-59")
def test_naming_the_connection_of_another_user_finds_nothing_of_theirs(alice, bob, scoped):
    theirs = Connection.objects.create(owner=bob, tool="mail")
    keep(bob, NewDocument("window seats of bob", connection=theirs.pk))

    found = retrieve(owner=alice, query="window seats", active_connections=[theirs.pk])

    assert texts(found) == ["window seats for everybody"]


@pytest.mark.requirement("TS-58")
def test_it_asks_for_some_context_types_alone(alice):
    keep(alice, SEATS, NewDocument("window seats", context_type="tool_entity"))

    found = retrieve(owner=alice, query="window seats", context_types=["tool_entity"])

    assert texts(found) == ["window seats"]
    both = ["tool_entity", "user_persistent"]
    assert len(retrieve(owner=alice, query="seats", context_types=both).hits) == 2


@pytest.mark.requirement("TS-63")
def test_what_was_stored_twice_is_found_once(alice, mail):
    keep(alice, SEATS, SEATS)
    keep(alice, SEATS)

    assert texts(retrieve(owner=alice, query="seats")) == [SEATS]


def test_it_sends_one_statement_and_asks_no_model_with_a_question_at_hand(alice, down, monkeypatch):
    keep(alice, SEATS)
    vector = np.array(ContextDocument.objects.get().embedding, dtype=np.float32)
    question = Question([], "seats", vector, EmbeddingSpace.objects.current())
    sent = []

    class Counting(psycopg.Cursor):
        def execute(self, *args, **options):
            sent.append(args)
            return super().execute(*args, **options)

    monkeypatch.setattr(context, "Cursor", Counting)
    with CaptureQueriesContext(connection) as beside:
        found = retrieve(owner=alice, query="seats", question=question)

    assert (len(sent), len(beside), texts(found)) == (1, 0, [SEATS])


@pytest.mark.requirement("TS-48")
def test_with_the_model_down_the_words_are_searched_and_it_says_so(alice, down):
    keep(alice, DOG, SEATS, "A window in the garden.", "Seating in windows: a plan for trains.")

    found = retrieve(owner=alice, query="Which seats by the window of trains?")

    assert texts(found)[0] == SEATS
    assert DOG not in texts(found)
    assert {hit.distance for hit in found.hits} == {None}
    assert (found.searched_by, found.degraded) == ("words", "provider_unavailable")


def test_a_part_of_another_word_is_no_word(alice, down):
    keep(alice, "The party was loud.")

    assert texts(retrieve(owner=alice, query="art")) == []


def test_case_and_inflection_do_not_matter_to_the_words(alice, down):
    keep(alice, "ÄRGER mit dem Chef", "Planted TOMATOES")

    assert texts(retrieve(owner=alice, query="ärger")) == ["ÄRGER mit dem Chef"]
    assert texts(retrieve(owner=alice, query="tomato")) == ["Planted TOMATOES"]


@pytest.mark.requirement("TS-48")
def test_what_waits_for_its_vector_is_found_by_its_words_after_the_rest(alice):
    keep(alice, DOG)
    keep(alice, SEATS, "Nothing of that.", embed=False)

    found = retrieve(owner=alice, query="window seats")

    assert texts(found) == [DOG, SEATS]
    assert found.hits[1].distance is None
    assert found.searched_by == "vectors, words"


def test_a_vector_of_another_space_is_not_compared(alice):
    keep(alice, SEATS, DOG)
    other = EmbeddingSpace.objects.create(model="x", version="1", dimension=8, state="retired")
    ContextDocument.objects.filter(content=DOG).update(space=other, embedding=[1.0] * 8)

    found = retrieve(owner=alice, query="seats")

    assert texts(found) == [SEATS]


def test_a_question_that_was_prepared_for_words_is_answered_by_words(alice):
    keep(alice, SEATS, DOG)
    question = prepare(alice.agent, "window seats", SearchMode.TEXT, CALIBRATED)

    found = retrieve(owner=alice, query="window seats", question=question)

    assert (texts(found), found.searched_by, found.degraded) == ([SEATS], "words", "")


def test_an_empty_question_finds_nothing_by_words(alice, down):
    keep(alice, SEATS)

    assert retrieve(owner=alice, query="").hits == []


@pytest.mark.requirement("TS-61")
def test_vectors_of_the_usual_model_have_1536_dimensions_and_are_kept(alice, settings, monkeypatch):
    settings.EMBEDDER, settings.OPENAI_API_KEY = "openai", "sk-test"
    assert embedder().dimension == 1536

    monkeypatch.setattr(filling, "current_model", lambda: HashingEmbedder(1536))
    keep(alice, SEATS)

    row = ContextDocument.objects.get()
    assert (row.space.dimension, len(row.embedding)) == (1536, 1536)


@pytest.mark.requirement("TS-72")
def test_a_thousand_documents_are_asked_well_within_300_milliseconds(alice, monkeypatch):
    monkeypatch.setattr(filling, "current_model", lambda: HashingEmbedder(1536))
    keep(alice, SEATS)
    space, numbers = EmbeddingSpace.objects.get(), np.random.default_rng(7)
    ContextDocument.objects.bulk_create(
        ContextDocument(
            id=uuid4(),
            owner=alice,
            content=f"Fact {number}.",
            context_type="user_persistent",
            source="system_learned",
            embedding=HalfVector(numbers.normal(size=1536)),
            embedding_state="done",
            space=space,
        )
        for number in range(1_000)
    )
    times = []

    for _ in range(20):
        begun = time.perf_counter()
        found = retrieve(owner=alice, query="Which seats does the user prefer?")
        times.append(time.perf_counter() - begun)

    assert (found.searched_by, len(found.hits)) == ("vectors", 5)
    assert sorted(times)[18] <= 0.3
