"""What every store of learned records promises, asked of each of them."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.owners import resolve_owner
from knowledge.errors import RecordUnfit
from knowledge.stores.base import Kind, Namespace, Record, StoreQuery
from knowledge.stores.database import DatabaseStore
from knowledge.stores.in_memory import InMemoryStore
from memory.models import EmbeddingSpace
from tests.contracts.stores import MODEL, OTHER, arc, fact, make_spaces, rule, vector
from tests.factories import make_agent

# A store is one line here.
STORES = {"database": DatabaseStore, "in memory": InMemoryStore}
WORDS = ["boss", "garden", "cello", "sister", "trout", "выставка", "東京", "run"]
# What PostgreSQL folds otherwise than we do, or not at all.
STRANGE = [
    "Straße",
    "STRASSE",
    "ﬁsh",
    "ｒｕｎ",
    "don’t",
    "İzmir",
    "CAFÉ",
    "cafe\u0301",
    "ΣΑΣ",
    "a'b\\c",
]
VECTORS = [None, vector(1, 0, 0), vector(0.8, 0.6, 0), vector(0, 1, 0), vector(0.6, 0, 0.8)]


@pytest.fixture(params=STORES)
def store(request, db):
    make_spaces()
    return STORES[request.param]()


@pytest.fixture
def owner(db):
    return resolve_owner(agent=make_agent(), user="alice")


@pytest.fixture
def facts(owner):
    return Namespace(owner, Kind.SEMANTIC)


@pytest.fixture
def arcs(owner):
    return Namespace(owner, Kind.EPISODIC)


def quotes(found) -> list[object]:
    return [match.record.value["evidence_quote"] for match in found]


def ask(text="boss", **fields) -> StoreQuery:
    return StoreQuery(text, **fields)


def meaning(*values: float, model: str = MODEL) -> StoreQuery:
    return StoreQuery("zzz", vector(*values), model)


@pytest.mark.requirement("OC-19")
@pytest.mark.requirement("XX-10")
def test_a_record_comes_back_as_it_was_put(store, facts):
    put = fact("my boss is terrible", source_events=["ev-1"], source_turn=3)

    store.put(facts, put)

    (found,) = store.latest(facts)
    assert found.key == put.key
    assert found.value | put.value == found.value
    assert found.value["version"] == 1
    assert store.similar(facts, ask(), limit=5)[0].record == found


def test_putting_a_key_again_replaces_its_record_alone(store, facts):
    first, second = fact("my boss is terrible"), fact("my boss left")
    store.put_batch(facts, [first, second])

    store.put(facts, fact("my boss is kind now", key=first.key))

    assert quotes(store.similar(facts, ask(), limit=5)) == ["my boss left", "my boss is kind now"]
    assert store.latest(facts)[0].key == second.key


@pytest.mark.requirement("OC-82")
@pytest.mark.parametrize(
    "bad",
    [
        fact("x" * 281),
        fact(""),
        fact("my boss", category="weather"),
        fact("my boss", predicate="LIKES"),
        fact("my boss", colour="red"),
        Record(uuid4(), {"category": "goal"}),
    ],
)
def test_a_batch_with_one_bad_record_leaves_none(store, facts, bad):
    with pytest.raises(RecordUnfit):
        store.put_batch(facts, [fact("my boss"), fact("my boss left"), bad])

    assert store.latest(facts, limit=9) == []


@pytest.mark.requirement("OC-82")
def test_a_batch_that_fails_while_it_is_written_leaves_none(store, arcs):
    session = uuid4()

    with pytest.raises(RecordUnfit):
        store.put_batch(
            arcs, [arc("one"), arc("two", session=session), arc("three", session=session)]
        )

    assert store.latest(arcs, limit=9) == []


def test_an_owner_s_records_are_found_by_that_owner_alone(store, facts, owner):
    others = Namespace(resolve_owner(agent=owner.agent, user="bob"), Kind.SEMANTIC)
    store.put(facts, fact("my boss is terrible"))

    assert store.similar(others, ask(), limit=5) == []
    assert store.latest(others) == []


def test_a_kind_is_a_namespace_of_its_own(store, facts, arcs, owner):
    store.put(facts, fact("my boss is terrible"))
    store.put(Namespace(owner, Kind.PROCEDURAL), rule("Ask about the boss first."))

    assert store.latest(arcs) == []
    (found,) = store.similar(Namespace(owner, Kind.PROCEDURAL), ask(), limit=5)
    assert found.record.value["text"] == "Ask about the boss first."


@pytest.mark.parametrize(
    "ended",
    [
        {"superseded_by": str(uuid4())},
        {"dormant_at": timezone.now()},
        {"user_visible": False},
        {"is_quarantined": True},
    ],
)
@pytest.mark.requirement("OC-39")
def test_what_no_longer_counts_is_not_ranked_and_crowds_nothing_out(store, facts, ended):
    store.put_batch(facts, [fact(f"my boss {n}", **ended) for n in range(20)])
    store.put_batch(facts, [fact(f"active boss {n}") for n in range(5)])

    found = store.similar(facts, ask(), limit=5)

    assert sorted(map(str, quotes(found))) == [f"active boss {n}" for n in range(5)]
    assert len(store.latest(facts, limit=30)) == 5


def test_what_no_longer_counts_is_found_where_it_is_asked_for(store, facts):
    store.put_batch(facts, [fact("my boss", dormant_at=timezone.now()), fact("the boss")])

    found = store.similar(facts, ask(with_inactive=True), limit=5)

    assert quotes(found) == ["the boss", "my boss"]


@pytest.mark.requirement("OC-34")
@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ("boss quarterly revenue", True),  # a third of the question
        ("boss quarterly revenue report", False),  # a quarter
        ("terrible boss quarterly revenue report meeting today agenda", True),  # two of the quote
    ],
)
def test_words_count_from_a_third_of_the_question_or_two_fifths_of_the_record(
    store, facts, query, is_found
):
    store.put(facts, fact("my boss is terrible"))

    assert bool(store.similar(facts, ask(query), limit=5)) is is_found


@pytest.mark.requirement("OC-34")
def test_meaning_counts_from_a_cosine_of_one_half(store, facts):
    near, far = (0.51, 0.86017, 0.0), (0.49, 0.87172, 0.0)
    store.put_batch(
        facts, [fact("near", embedding=vector(*near)), fact("far", embedding=vector(*far))]
    )

    assert quotes(store.similar(facts, meaning(1, 0, 0), limit=5)) == ["near"]


@pytest.mark.requirement("OC-85")
def test_vectors_of_another_model_or_dimension_are_skipped(store, facts):
    store.put_batch(
        facts,
        [
            fact("mine", embedding=vector(1, 0, 0)),
            fact("of another model", embedding=vector(1, 0, 0), model=OTHER),
            fact("of another dimension", embedding=vector(1, 0), model=MODEL),
            fact("of no known model", embedding=vector(1, 0, 0), model="unheard@1"),
            fact("of none"),
        ],
    )

    assert quotes(store.similar(facts, meaning(1, 0, 0), limit=9)) == ["mine"]
    assert quotes(store.similar(facts, meaning(1, 0, 0, model=OTHER), limit=9)) == [
        "of another model"
    ]
    assert store.similar(facts, meaning(1, 0, 0, 0), limit=9) == []
    assert quotes(store.similar(facts, ask("another dimension"), limit=9)) == [
        "of another dimension",
        "of another model",
    ]


@pytest.mark.requirement("OC-33")
def test_two_rankings_are_fused_by_rank_with_sixty(store, facts):
    store.put_batch(
        facts,
        [
            fact("boss", embedding=vector(0.8, 0.6, 0)),
            fact("garden", embedding=vector(1, 0, 0)),
            fact("my boss again", embedding=vector(0, 1, 0)),
        ],
    )

    found = store.similar(facts, StoreQuery("boss", vector(1, 0, 0), MODEL), limit=5)

    assert [(match.record.value["evidence_quote"], match.score) for match in found] == [
        ("boss", pytest.approx(1 / 62 + 1 / 62)),
        ("garden", pytest.approx(1 / 61)),
        ("my boss again", pytest.approx(1 / 61)),
    ]


@pytest.mark.requirement("OC-44")
def test_what_ended_before_the_earliest_time_is_not_found(store, arcs):
    store.put_batch(arcs, [arc("the garden then", days=31), arc("the garden now", days=29)])

    since = timezone.now() - timedelta(days=30)
    found = store.similar(arcs, StoreQuery("garden", since=since), limit=5)

    assert [match.record.value["summary"] for match in found] == ["the garden now"]


def test_the_latest_arc_is_the_one_that_ended_last(store, arcs):
    store.put(arcs, arc("newer", days=1))
    store.put(arcs, arc("older", days=9))

    assert [one.value["summary"] for one in store.latest(arcs, limit=2)] == ["newer", "older"]


@settings(max_examples=30)
@given(
    records=st.lists(
        st.tuples(
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
            st.sampled_from(VECTORS),
            st.sampled_from([MODEL, OTHER]),
            st.booleans(),
        ),
        max_size=12,
    ),
    query=st.lists(st.sampled_from(WORDS), max_size=4),
    asked=st.sampled_from(VECTORS),
)
def test_all_stores_give_the_same_ranking_of_the_same_data(owner, records, query, asked):
    namespace = Namespace(resolve_owner(agent=owner.agent, user=uuid4().hex), Kind.SEMANTIC)
    if not EmbeddingSpace.objects.exists():
        make_spaces()
    made = [
        fact(" ".join(words), embedding=embedding, model=model, user_visible=is_visible)
        for words, embedding, model, is_visible in records
    ]
    rankings = []
    for kind in STORES.values():
        store = kind()
        store.put_batch(namespace, made)
        sought = StoreQuery(" ".join(query), asked, MODEL)
        rankings.append(store.similar(namespace, sought, limit=5))
        # Whether all records were read, or only those that may be found, shows nowhere.
        narrow = replace(sought, among_many=True)
        rankings.append(store.similar(namespace, narrow, limit=5))

    assert all(ranking == rankings[0] for ranking in rankings)


def test_among_many_the_same_is_found_whatever_the_script(owner):
    make_spaces()
    store, namespace = DatabaseStore(), Namespace(owner, Kind.SEMANTIC)
    arcs = Namespace(owner, Kind.EPISODIC)
    store.put_batch(namespace, [fact(text) for text in (*WORDS, *STRANGE)])
    store.put_batch(arcs, [arc(text) for text in (*WORDS, *STRANGE)])

    for text in (*WORDS, *STRANGE):
        for asked in (text, text.upper(), text.casefold(), f"{text} zebra"):
            for place in (namespace, arcs):
                every = store.similar(place, StoreQuery(asked), limit=20)
                assert store.similar(place, StoreQuery(asked, among_many=True), limit=20) == every
                assert every or asked != text
