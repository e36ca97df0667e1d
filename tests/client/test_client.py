"""The Python client against a real server."""

import anyio
import pytest

from knowledge.models import KnowledgeDocument
from memory.models import Event, Session
from recollect import (
    AsyncRecollect,
    Conflict,
    Forbidden,
    Forgotten,
    Invalid,
    NotFound,
    Recollect,
    Unreachable,
)
from tests.factories import make_agent, make_session, run_jobs
from tests.knowledge.learned import added, changed, fact_fields, owner_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_said_is_recalled_after_the_session(memory):
    session = memory.session("alice")
    first, second = memory.send(
        session,
        [
            {"role": "user", "content": "My cat is called Miso."},
            {"role": "assistant", "content": "A lovely name."},
        ],
        prompt_tokens=120,
    )
    assert memory.end(session).state in {"closing", "closed"}
    run_jobs()

    found = memory.recall("What is the cat called?", user="alice")
    prompt = memory.context(memory.session("alice"), "What is the cat called?", max_tokens=4_000)

    assert (first.seq, second.seq) == (1, 2)
    assert "My cat is called Miso." in found.hits[0].text
    assert found.hits[0].store == "session"
    assert found.receipt
    assert "Miso" in str(prompt.messages)
    assert prompt.receipt
    assert prompt.tokens > 0


def test_a_text_alone_is_the_users(memory):
    session = memory.session("alice")

    (stored,) = memory.send(session.id, "hello")
    memory.send(session, {"role": "assistant", "content": "Hi."})

    kinds = [event.type for event in Event.objects.order_by("seq")]
    assert kinds == ["UserMsg", "ModelOutput"]
    assert stored.lane == "edge"
    assert str(Event.objects.get(seq=1).pk) == stored.id


def test_the_same_name_is_the_same_session(memory):
    first = memory.session("alice", external_id="one", metadata={"a": 1})

    assert memory.session("alice", external_id="one") == first
    assert memory.session("alice").id != first.id


def test_a_repeated_key_stores_nothing_twice(memory):
    session = memory.session("alice")

    first = memory.send(session, "hello", key="one")
    second = memory.send(session, "hello", key="one")

    assert first == second
    assert Event.objects.count() == 1


def test_what_is_kept_on_purpose_is_found_changed_and_forgotten(memory):
    kept = memory.remember("The cat is called Miso.", key="cat", metadata={"kind": "pet"})
    changed = memory.remember("The cat is called Momo.", key="cat")
    (hit,) = memory.recall("cat").hits

    assert (kept.version, changed.version) == (1, 2)
    assert changed.metadata == {"kind": "pet"}
    assert (hit.store, hit.key, hit.text) == ("knowledge", "cat", "The cat is called Momo.")
    assert memory.document("cat").content == "The cat is called Momo."
    assert [one["key"] for one in memory.documents()["results"]] == ["cat"]
    assert memory.forget("cat") == Forgotten()
    assert not KnowledgeDocument.objects.exists()
    with pytest.raises(NotFound):
        memory.forget("cat")


def test_forgetting_a_users_words_shows_them_first(memory, porter):
    changed(owner_of(porter), added(fields=fact_fields()))

    (shown,) = memory.forget(user="alice", query="Lyon").would_forget
    gone = memory.forget(user="alice", items=[shown])

    assert shown["object"] == "Lyon"
    assert [one["id"] for one in gone.forgotten] == [shown["id"]]
    assert memory.forget(user="alice", query="Lyon").would_forget == ()
    with pytest.raises(ValueError, match="name a document's key"):
        memory.forget()


def test_errors_have_a_type_a_code_and_a_hint(memory, live_server, key, porter):
    session = memory.session("alice")
    Session.objects.update(state=Session.State.CLOSED)
    foreign = make_session(make_agent("rival"))

    with pytest.raises(Conflict) as closed:
        memory.send(session, "hello")
    with pytest.raises(NotFound):
        memory.send(str(foreign.pk), "hello")
    with pytest.raises(Invalid) as unfit:
        memory.send(session, {"role": "nobody", "content": "x"})
    with Recollect("rk_x_y", url=live_server.url) as stranger, pytest.raises(Forbidden) as refused:
        stranger.session("alice")

    assert (closed.value.status, closed.value.code) == (409, "session_closed")
    assert closed.value.hint
    assert closed.value.code in str(closed.value)
    assert "fields" in unfit.value.detail
    assert refused.value.code == "authentication_failed"


def test_no_server_is_a_clear_error():
    with (
        pytest.raises(Unreachable, match="ConnectError"),
        Recollect("k", url="http://127.0.0.1:9", retries=0) as memory,
    ):
        memory.session("alice")


def test_the_asynchronous_client_does_the_same(live_server, key):
    async def run():
        async with AsyncRecollect(key, url=live_server.url) as memory:
            session = await memory.session("alice", external_id="one")
            stored = await memory.send(session, "My cat is called Miso.")
            prompt = await memory.context(session)
            kept = await memory.remember("The cat is called Miso.", key="cat")
            found = await memory.recall("cat")
            same = await memory.document("cat")
            names = await memory.documents()
            gone = await memory.forget("cat")
            ended = await memory.end(session)
        return stored, prompt, kept, found, same, names, gone, ended

    stored, prompt, kept, found, same, names, gone, ended = anyio.run(run)

    assert stored[0].seq == 1
    assert prompt.messages[-1] == {"role": "user", "content": "My cat is called Miso."}
    assert same == kept
    assert [hit.key for hit in found.hits] == ["cat"]
    assert names["results"][0]["key"] == "cat"
    assert gone == Forgotten()
    assert ended.external_id == "one"
