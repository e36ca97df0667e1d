"""The memory of one user, from Python, against a real server."""

import anyio
import pytest

from recollect import AsyncMemory, Invalid, Memory, NotFound
from tests.factories import run_jobs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice(live_server, key):
    with Memory("alice", key=key, url=live_server.url) as memory:
        yield memory


def test_what_is_added_is_found_changed_and_forgotten(alice):
    (kept,) = alice.add("I am allergic to peanuts.").memories
    (found,) = alice.search("allergic to what?")
    changed = alice.update(kept.id, "I am allergic to nuts.", is_pinned=True)

    assert (found.id, found.kind, found.text) == (kept.id, "fact", "I am allergic to peanuts.")
    assert found.score > 0
    assert changed.text == "I am allergic to nuts."
    assert changed.is_pinned
    assert alice.get(kept.id) == changed
    assert [item.id for item in alice.forget(query="nuts").would_forget] == [kept.id]
    assert alice.forget(kept.id).forgotten == (kept.id,)
    assert alice.forget(kept.id).missing == (kept.id,)
    with pytest.raises(NotFound):
        alice.get(kept.id)


def test_a_conversation_is_stored_and_found_before_anything_is_learned(alice):
    added = alice.add(
        [
            {"role": "user", "content": "My cat is called Miso."},
            {"role": "assistant", "content": "A lovely name."},
        ],
        once="one",
    )

    assert not added.learned
    assert len(added.events) == 2
    assert alice.search("What is the cat called?")[0].source.session == added.session
    run_jobs()
    assert "fact" in {item.kind for item in alice.search("What is the cat called?")}


def test_a_list_goes_on_over_all_pages(alice, monkeypatch):
    monkeypatch.setattr("recollect.verbs.PAGE", 2)
    for number in range(5):
        alice.add(f"Fact number {number}.", kind="fact")

    texts = [item.text for item in alice.list("fact")]

    assert texts == [f"Fact number {number}." for number in (4, 3, 2, 1, 0)]


def test_key_and_address_come_from_the_environment(live_server, key, monkeypatch):
    monkeypatch.setenv("RECOLLECT_KEY", key)
    monkeypatch.setenv("RECOLLECT_URL", live_server.url)

    with Memory("alice") as memory:
        memory.add("I am allergic to peanuts.")
        assert memory.search("allergic")


def test_without_a_key_it_says_what_to_do(monkeypatch):
    monkeypatch.delenv("RECOLLECT_KEY", raising=False)

    with pytest.raises(ValueError, match="RECOLLECT_KEY"):
        Memory("alice")


def test_what_cannot_be_kept_is_refused_with_a_code(alice):
    with pytest.raises(Invalid) as caught:
        alice.add("My password is hunter2-Xk9!")

    assert caught.value.code == "memory_refused"
    with pytest.raises(ValueError, match="query"):
        alice.forget()


def test_the_same_verbs_wait_for_nobody_in_async_code(live_server, key):
    async def run():
        async with AsyncMemory("alice", key=key, url=live_server.url) as memory:
            (kept,) = (await memory.add("I am allergic to peanuts.")).memories
            found = await memory.search("allergic")
            changed = await memory.update(kept.id, "I am allergic to nuts.")
            listed = [item async for item in memory.list()]
            assert await memory.get(kept.id) == changed
            gone = await memory.forget(kept.id)
            return kept, found, changed, listed, gone

    kept, found, changed, listed, gone = anyio.run(run)

    assert [item.id for item in found] == [kept.id]
    assert listed == [changed]
    assert gone.forgotten == (kept.id,)
