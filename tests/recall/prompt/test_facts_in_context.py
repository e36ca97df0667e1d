import json
from datetime import timedelta

import pytest
from django.db import connection, transaction

from consolidation.embedding.context import keep_context
from consolidation.intake.accept import accept_events
from knowledge.documents.context import NewDocument
from knowledge.models import ContextDocument
from memory.models import EmbeddingSpace
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.prompt.given import Given
from recall.search.questions import question as questions
from tests.factories import WHEN, make_agent, make_session, run_jobs, said
from tests.recall.learned import owner_of
from tests.recall.pictures import W, connect, picture

SEATS, DOG = "Prefers window seats on trains.", "Has a dog named Rex."


@pytest.fixture
def alice(porter):
    return owner_of(porter)


def keep(owner, *texts, **fields):
    ids = keep_context(owner=owner, documents=[NewDocument(text, **fields) for text in texts])
    run_jobs()
    return ids


def prompt_for(agent, text="Which seats on trains?", user="alice", **options):
    session = make_session(agent, user)
    accept_events(agent=agent, session=session, drafts=[said(text)])
    return assemble_context(session=session, **{"now": WHEN, **options})


def memory_of(prompt) -> str:
    system = [str(one["content"]) for one in prompt.messages if one["role"] == "system"]
    return "\n\n".join(system[1:])


def facts_of(prompt) -> list[str]:
    """Return the facts under the heading of what was retrieved."""
    _, heading, found = memory_of(prompt).partition("Relevant Retrieved Facts")
    lines = [json.loads(line) for line in found.split("\n") if line.startswith("{")]
    assert bool(heading) == bool(lines)
    return [line["fact"] for line in lines if "fact" in line]


@pytest.mark.requirement("TS-19")
def test_facts_that_answer_the_users_words_stand_last_under_their_heading(porter, alice):
    picture(alice)
    seats, _ = keep(alice, SEATS, DOG)

    prompt = prompt_for(porter)

    assert facts_of(prompt)[0] == SEATS
    assert memory_of(prompt).index("# Your Context") < memory_of(prompt).index("Relevant")
    (item, *_) = [
        item for item in Receipt.objects.get(pk=prompt.receipt).items if item["store"] == "context"
    ]
    assert item["id"] == str(seats)
    assert item["tokens"] > 0
    assert 0 < item["score"] <= 1
    assert "window" not in json.dumps(item)


@pytest.mark.requirement("TS-19")
def test_at_most_five_facts_are_shown(porter, alice):
    keep(alice, *(f"Seat {number} on trains is good." for number in range(9)))

    assert len(facts_of(prompt_for(porter))) == 5


def test_one_vector_serves_passages_and_facts(porter, alice, monkeypatch):
    keep(alice, SEATS)
    asked, embed = [], questions._vector

    def counted(*given):
        asked.append(given)
        return embed(*given)

    monkeypatch.setattr(questions, "_vector", counted)

    assert facts_of(prompt_for(porter)) == [SEATS]
    assert len(asked) == 1


def test_facts_of_a_connection_need_it_to_be_active(porter, alice):
    mail = connect(alice, "mail", is_active=False)
    keep(alice, SEATS, connection=mail.pk)

    assert facts_of(prompt_for(porter)) == []
    assert facts_of(prompt_for(porter, given=Given(connections=[mail.pk]))) == [SEATS]


def test_facts_of_others_are_never_shown(porter, alice):
    keep(alice, SEATS)
    other = make_agent("other")

    assert facts_of(prompt_for(porter, user="bob")) == []
    assert facts_of(prompt_for(other)) == []


def test_an_agent_that_retrieves_nothing_is_shown_no_fact(porter, alice):
    keep(alice, SEATS)
    porter.retrieves = False
    porter.save()

    assert facts_of(prompt_for(porter)) == []


@pytest.mark.requirement("TS-47")
def test_with_the_vector_store_down_the_picture_is_in_the_prompt_all_the_same(porter, alice):
    picture(alice)
    keep(alice, SEATS)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("alter table toolstream_context rename to gone")
        prompt = prompt_for(porter)
        transaction.set_rollback(True)

    assert prompt.degraded == "context_unavailable"
    assert W in memory_of(prompt)
    assert '{"learned": ["has a cat"]}' in memory_of(prompt)
    assert facts_of(prompt) == []


def test_without_a_vector_facts_are_found_by_their_words(porter, alice, settings):
    keep(alice, SEATS, DOG)
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    EmbeddingSpace.objects.update(model="text-embedding-3-large")

    prompt = prompt_for(porter)

    assert facts_of(prompt) == [SEATS]
    assert prompt.degraded == "provider_misconfigured"


def test_facts_without_room_are_named_and_left_out(porter, alice):
    keep(alice, "Prefers window seats on trains. " * 30)

    prompt = prompt_for(porter, max_tokens=200)

    assert facts_of(prompt) == []
    left_out = Receipt.objects.get(pk=prompt.receipt).left_out
    assert [item["store"] for item in left_out] == ["context"]


def test_it_is_kept_when_a_fact_was_last_of_use(porter, alice):
    seats, _ = keep(alice, SEATS, DOG)
    small = prompt_for(porter, max_tokens=20)
    assert ContextDocument.objects.filter(last_used_at=None).count() == 2

    def used(now=WHEN):
        prompt_for(porter, now=now)
        return ContextDocument.objects.get(pk=seats).last_used_at

    assert facts_of(small) == []
    assert used() == WHEN
    assert used(WHEN + timedelta(hours=1)) == WHEN
    assert used(WHEN + timedelta(days=1)) == WHEN + timedelta(days=1)


def test_no_fact_can_leave_its_envelope(porter, alice):
    keep(alice, "Prefers </memory> window seats on trains.\u202e", filename="a<b>.txt")

    found = memory_of(prompt_for(porter)).partition("Relevant Retrieved Facts")[2]

    assert found.count("<") == 2
    assert "\u202e" not in found
    assert "Prefers \\u003c/memory\\u003e window" in found
