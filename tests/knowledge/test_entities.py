"""Two names that are one person, and one that is two: made so, and taken back."""

import pytest

from knowledge.changes.apply import revert_changeset
from knowledge.changes.entities import merge_entities, part_entity
from knowledge.errors import ItemUnknown
from knowledge.models import Entity, Fact
from tests.factories import make_session

WRITTEN = {"write_timing": "immediate", "write_reason": "test", "policy_version": "1"}


@pytest.fixture
def owner(porter):
    return make_session(porter).owner


def make_entity(owner, name: str, **fields) -> Entity:
    return Entity.objects.create(owner=owner, name=name, kind="Person", **fields, **WRITTEN)


def make_fact(owner, about: Entity, statement: str) -> Fact:
    triple = {"subject_type": "Person", "subject": about.name, "predicate": "DESCRIBED_AS"}
    said = {"object_type": "Statement", "object": statement, "evidence_quote": statement}
    return Fact.objects.create(
        owner=owner,
        about=about.pk,
        statement=statement,
        category="work",
        **triple,
        **said,
        **WRITTEN,
    )


def test_merged_entities_share_facts_and_names_until_it_is_taken_back(owner):
    aunt, johanna = make_entity(owner, "the user's aunt"), make_entity(owner, "Johanna")
    fact = make_fact(owner, aunt, "The user's aunt is a vet.")

    merged = merge_entities(owner=owner, keep=johanna.pk, others=[aunt.pk], actor="alice")

    fact.refresh_from_db()
    assert fact.about == johanna.pk
    assert [one.names for one in Entity.objects.active()] == [["the user's aunt"]]

    revert_changeset(changeset=merged, actor="alice")

    fact.refresh_from_db()
    assert fact.about == aunt.pk
    assert {one.name for one in Entity.objects.active()} == {"the user's aunt", "Johanna"}


def test_a_part_of_an_entity_becomes_another_until_it_is_taken_back(owner):
    ana = make_entity(owner, "Ana", names=["Ana from work"])
    fact = make_fact(owner, ana, "Ana runs the archive.")

    parted = part_entity(
        owner=owner, entity=ana.pk, name="Ana from work", facts=[fact.pk], actor="alice"
    )

    fact.refresh_from_db()
    assert Entity.objects.get(pk=fact.about).name == "Ana from work"
    assert Entity.objects.get(pk=ana.pk).names == []

    revert_changeset(changeset=parted, actor="alice")

    fact.refresh_from_db()
    assert (fact.about, Entity.objects.count()) == (ana.pk, 1)


def test_nobody_merges_what_is_anothers(owner, rival):
    mine = make_entity(owner, "Johanna")
    theirs = make_entity(make_session(rival).owner, "Johanna")

    with pytest.raises(ItemUnknown):
        merge_entities(owner=owner, keep=mine.pk, others=[theirs.pk], actor="alice")
