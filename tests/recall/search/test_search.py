import pytest

from memory.models import Chunk, EmbeddingSpace
from providers.errors import ProviderUnavailable
from providers.registry import embedder
from recall.search.hits import Filters
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode
from recall.search.ranking_profiles import CALIBRATED, RANKS, WORDS
from tests.factories import make_ended_session


def texts(found):
    return [hit.text for hit in found.hits]


def test_a_chunk_without_a_vector_is_found_by_its_words(porter, settings):
    settings.EMBEDDER = "null"
    embedder.cache_clear()
    session = make_ended_session(porter, ["My cat only eats trout.", "The weather is fine."])

    found = search(owner=session.owner, query="what does the cat eat?", limit=5)

    assert texts(found) == ["My cat only eats trout.", "The weather is fine."][: len(found.hits)]
    assert found.searched_by == "words"
    assert not found.hits[0].has_vector


@pytest.mark.parametrize("mode", SearchMode)
def test_where_vectors_are_switched_off_words_answer_in_every_mode(porter, settings, mode):
    session = make_ended_session(porter, ["My cat only eats trout."])
    settings.EMBEDDER = "null"
    embedder.cache_clear()

    found = search(owner=session.owner, query="cat", limit=5, mode=mode)

    assert texts(found) == ["My cat only eats trout."]
    assert (found.searched_by, found.degraded, found.profile) == ("words", "", "words")


def test_a_setting_that_names_another_model_leaves_the_vectors_in_use(porter, settings):
    settings.EMBEDDER = "local"
    embedder.cache_clear()
    session = make_ended_session(porter, ["She was hired by the library.", "The train was late."])
    settings.EMBEDDER = "hashing"
    embedder.cache_clear()

    found = search(owner=session.owner, query="her new job", limit=1)

    assert texts(found) == ["She was hired by the library."]
    assert (found.searched_by, found.degraded) == ("words+vectors", "")


@pytest.mark.requirement("CH-54")
def test_an_ended_session_is_found_by_meaning(porter, settings):
    settings.EMBEDDER = "local"
    embedder.cache_clear()
    session = make_ended_session(
        porter, ["She was hired by the library.", "We planted tomatoes.", "The train was late."]
    )

    found = search(owner=session.owner, query="her new job", limit=3, mode=SearchMode.SEMANTIC)

    assert texts(found)[0] == "She was hired by the library."
    assert found.searched_by == "vectors"


def test_text_mode_asks_for_no_vector(porter):
    session = make_ended_session(porter, ["We planted tomatoes."])

    found = search(owner=session.owner, query="tomatoes", limit=3, mode=SearchMode.TEXT)

    assert found.searched_by == "words"
    assert found.hits[0].signals.meaning == 0


@pytest.mark.parametrize(
    ("wanted", "used"),
    [(CALIBRATED, WORDS), (RANKS, WORDS), (WORDS, WORDS)],
)
def test_a_question_without_a_vector_is_ranked_by_its_formula_for_words(porter, wanted, used):
    session = make_ended_session(porter, ["We planted tomatoes."])

    found = search(
        owner=session.owner, query="tomatoes", limit=3, mode=SearchMode.TEXT, profile=wanted
    )

    assert found.profile == used.name


@pytest.mark.requirement("CH-51")
@pytest.mark.requirement("CH-52")
def test_every_chunk_of_an_ended_session_is_embedded_and_mid_term(porter):
    make_ended_session(porter, ["one thing", "another thing"])

    states = set(Chunk.objects.values_list("tier", "embedding_state"))

    assert states == {("mid_term", "done")}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我家有一只猫,它只吃鱼", "猫吃什么"),
        ("У меня живёт рыжий кот", "рыжего кота"),
        ("うちの猫は魚しか食べません", "猫は何を食べる"),
        ("우리 고양이는 생선만 먹어요", "고양이"),
        ("แมวของฉันกินแต่ปลา", "แมว"),
        ("قطتي تأكل السمك فقط", "قطتي السمك"),
        ("Unsere Katzen fressen nur Forellen und sonst nichts", "Was frisst die Katze?"),
    ],
)
def test_words_are_found_in_every_script(porter, said, asked):
    session = make_ended_session(porter, [said, "The weather is fine today."])

    found = search(owner=session.owner, query=asked, limit=1)

    assert texts(found) == [said]


def test_another_owner_s_memory_is_never_found(porter, rival):
    make_ended_session(porter, ["the secret is trout"], user="alice")
    bobs = make_ended_session(porter, ["nothing of note"], user="bob")
    rivals = make_ended_session(rival, ["nothing of note"], user="alice")

    for owner in (bobs.owner, rivals.owner):
        assert "trout" not in str(texts(search(owner=owner, query="secret trout", limit=9)))


def test_it_rewinds_to_what_had_ended_by_then(porter):
    first = make_ended_session(porter, ["the first trout"])
    make_ended_session(porter, ["the second trout"])

    found = search(owner=first.owner, query="trout", limit=9, filters=Filters(as_of=first.ended_at))

    assert texts(found) == ["the first trout"]


def test_words_in_the_middle_of_a_very_long_event_are_found(porter):
    long = " ".join(f"word{number}" for number in range(20_000))
    session = make_ended_session(porter, [long])

    for word in ("word3", "word9999", "word19998"):
        found = search(owner=session.owner, query=word, limit=1)
        assert word in found.hits[0].text.split()


def test_an_empty_question_finds_nothing_by_words(porter):
    session = make_ended_session(porter, ["one thing"])

    assert search(owner=session.owner, query="   ", limit=3).hits == []


class Down:
    name = "down"
    model = version = "hashing"
    dimension, batch_size = 384, 32

    def embed(self, texts, *, seconds=None):
        raise ProviderUnavailable("down")


@pytest.mark.requirement("CH-83")
def test_a_provider_that_is_down_costs_the_vectors_and_nothing_else(porter, monkeypatch):
    session = make_ended_session(porter, ["My cat only eats trout."])
    monkeypatch.setattr("recall.search.questions.question.embedder_for", lambda space: Down())

    found = search(owner=session.owner, query="what does the cat eat?", limit=5)

    assert texts(found) == ["My cat only eats trout."]
    assert (found.searched_by, found.degraded) == ("words", "provider_unavailable")


def test_before_the_first_vector_words_answer_and_say_so(porter, monkeypatch):
    session = make_ended_session(porter, ["My cat only eats trout."])
    EmbeddingSpace.objects.all().delete()
    monkeypatch.setattr("recall.search.questions.question.embedder", Down)

    found = search(owner=session.owner, query="cat", limit=5, mode=SearchMode.SEMANTIC)

    assert texts(found) == ["My cat only eats trout."]
    assert found.degraded == "no_vectors_yet"


def test_a_model_that_is_not_here_any_more_costs_the_vectors_and_says_so(porter, settings):
    session = make_ended_session(porter, ["My cat only eats trout."])
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    EmbeddingSpace.objects.update(model="text-embedding-3-large")

    found = search(owner=session.owner, query="what does the cat eat?", limit=5)

    assert texts(found) == ["My cat only eats trout."]
    assert (found.searched_by, found.degraded) == ("words", "provider_misconfigured")
