"""A corrected fact is what the next prompt says: nothing that was concluded from its old words is."""

from datetime import timedelta

import pytest

from consolidation.deletion.trace import Target
from consolidation.deletion.undo import take_back_forgetting
from consolidation.edits.corrections import take_back
from consolidation.edits.memory import change_item, forget_items, forget_one
from consolidation.models import ContextEvent
from knowledge.models import ChangeItem, Changeset, ContextDocument, Fact, Tombstone
from recall.prompt.assembly import assemble_context
from tests.consolidation.profile.observed import (
    learned,
    narrative,
    observed,
    scaffold,
    speak_of_cat_and_sister,
    synthesise,
)
from tests.factories import make_session

CAT = "My cat is called Minka."
OLD = "Minka"


@pytest.fixture
def alice(porter):
    """Return alice, of whom two facts were learned in a talk and worked into her picture."""
    owner = speak_of_cat_and_sister(porter)
    observed(owner, CAT, type="learned_fact")
    synthesise(owner)
    return owner


@pytest.fixture
def cat(alice) -> Fact:
    return Fact.objects.get(owner=alice, object__contains=OLD)


def correct(fact, words):
    change_item(
        owner=fact.owner,
        kind="fact",
        target=fact.pk,
        fields={"object": words},
        version=fact.version,
        actor="alice",
    )
    fact.refresh_from_db()
    return Changeset.objects.filter(origin="person").latest("created_at")


def picture(owner) -> tuple[str, dict, list[str], set[str]]:
    documents = set(ContextDocument.objects.values_list("content", flat=True))
    return narrative(owner), scaffold(owner), learned(owner), documents


def prompt_of(owner) -> str:
    session = make_session(owner.agent, owner.key)
    prompt = assemble_context(session=session, query="What is my cat called?")
    return " ".join(str(one["content"]) for one in prompt.messages)


def test_the_next_prompt_says_the_new_words_and_the_next_synthesis_too(alice, cat):
    assert str(picture(alice)).count(OLD) == 4
    assert OLD in prompt_of(alice)

    correct(cat, "cat Zorro")

    asked = prompt_of(alice)
    assert OLD not in asked
    assert "User KNOWS cat Zorro — 'My cat is called Zorro.'" in asked
    assert "Ana" in str(picture(alice))
    synthesise(alice)
    assert "Zorro" in narrative(alice)
    assert scaffold(alice)["Pets"] == {"Cat": "Zorro"}
    assert OLD not in prompt_of(alice)


def test_what_waits_with_the_old_words_waits_no_more_and_a_pin_takes_nothing(alice, cat):
    waiting = observed(alice, f"She said: {CAT}")
    change_item(
        owner=alice,
        kind="fact",
        target=cat.pk,
        fields={"is_pinned": True, "object": cat.object},
        version=1,
        actor="alice",
    )
    assert str(picture(alice)).count(OLD) == 4
    cat.refresh_from_db()
    assert cat.evidence_quote == CAT

    correct(cat, "cat Zorro")

    waiting.refresh_from_db()
    assert (waiting.processed, waiting.error_code) == (True, "corrected")
    (due,) = ContextEvent.objects.waiting()
    assert due.event_type == "correction"
    assert due.content == 'The user KNOWS cat Zorro \u2014 "My cat is called Zorro."'
    assert due.source_metadata["source"] == "person"


@pytest.mark.parametrize("is_synthesised", [False, True])
def test_a_correction_that_is_taken_back_brings_back_what_it_took(alice, cat, is_synthesised):
    before = picture(alice)
    made = correct(cat, "cat Zorro")
    if is_synthesised:
        synthesise(alice)

    take_back(changeset=made, actor="alice")

    cat.refresh_from_db()
    assert (cat.object, cat.evidence_quote) == ("cat Minka", CAT)
    assert "Zorro" not in prompt_of(alice)
    # Where something else was told since, the next synthesis tells it again.
    assert is_synthesised or picture(alice) == before
    assert picture(alice)[2:] == before[2:]
    synthesise(alice)
    assert (scaffold(alice), learned(alice)) == before[1:3]
    assert OLD in narrative(alice)
    assert "Zorro" not in str(picture(alice))


def test_a_corrected_fact_comes_back_from_being_forgotten_as_it_was_corrected(alice, cat):
    correct(cat, "cat Zorro")
    synthesise(alice)
    gone = forget_items(
        owner=alice, items=[Target("fact", cat.pk)], actor="alice", keep_for=timedelta(days=7)
    )
    assert "Zorro" not in str(picture(alice))
    assert gone.act

    take_back_forgetting(owner=alice, act=gone.act.pk, actor="alice")

    assert Fact.objects.get(pk=cat.pk).object == "cat Zorro"
    assert "Zorro" in narrative(alice)
    assert OLD not in str(picture(alice))
    # Not even its old words are buried any more.
    assert not Tombstone.objects.exists()


def test_a_corrected_fact_that_is_forgotten_leaves_neither_its_old_words_nor_its_new(alice, cat):
    correct(cat, "cat Zorro")
    synthesise(alice)

    forget_one(owner=alice, item=Target("fact", cat.pk), actor="alice")

    kept = [
        picture(alice),
        list(ContextEvent.objects.values_list("content", flat=True)),
        list(ChangeItem.objects.values_list("before", "after", "quote")),
    ]
    assert OLD not in str(kept)
    assert "Zorro" not in str(kept)
    assert "Ana" in str(kept)
    observed(alice, CAT, type="learned_fact")
    synthesise(alice)
    assert OLD not in str(picture(alice))
