import pytest

from knowledge.changes.apply import edit_item
from knowledge.errors import ItemChanged, ItemUnfit, ItemUnknown
from knowledge.models import ChangeItem, Fact, Rule
from memory.spaces import current_for
from tests.knowledge.learned import added, changed, owner_of


@pytest.fixture
def owner(porter):
    return owner_of(porter)


@pytest.fixture
def fact(owner):
    one = added()
    changed(owner, one)
    return Fact.objects.get(pk=one.target)


def edit(owner, row, kind="fact", version=None, **fields):
    return edit_item(
        owner=owner, kind=kind, target=row.pk, fields=fields, actor="alice", version=version
    )


def said(side) -> dict:
    return {"quote": side["evidence_quote"]} | {name: side[name] for name in ("object", "version")}


def test_an_edit_writes_the_fields_and_the_next_version(owner, fact):
    made = edit(owner, fact, object="Nice", version=1)

    fact.refresh_from_db()
    item = made.items.get()
    assert (fact.object, fact.version) == ("Nice", 2)
    assert (made.origin, item.code, item.decided_by) == ("person", "person.edit", "alice")
    assert said(item.before) == {"object": "Lyon", "version": 1, "quote": "I live in Lyon."}
    assert said(item.after) == {"object": "Nice", "version": 2, "quote": "I live in Nice."}


@pytest.mark.parametrize(
    ("quote", "was", "now", "expected"),
    [
        ("I live in Lyon.", "Lyon", "Nice", "I live in Nice."),
        ("My cat is called Minka.", "cat Minka", "cat Zorro", "My cat is called Zorro."),
        ("My cat is called Minka.", "cat Minka", "Tilda", "My cat is called Tilda."),
        ("My sister is Ana.", "sister Ana", "brother Tom", "My brother is Tom."),
        ("I eat trout, and figs.", "trout figs", "salmon", "experienced salmon"),
        ("lyon, always Lyon", "Lyon", "Nice", "Nice, always Nice"),
        ("I live in Lyons.", "Lyon", "Nice", "experienced Nice"),
        ("We moved.", "Lyon", "Nice", "experienced Nice"),
        (r"C:\1 is full", r"C:\1", r"D:\2", r"D:\2 is full"),
    ],
)
def test_new_words_are_from_the_person_and_not_from_what_was_said_before(
    owner, fact, quote, was, now, expected
):
    Fact.objects.update(
        object=was, evidence_quote=quote, source_session=owner.agent_id, source_events=["ev-1"]
    )

    edit(owner, fact, object=now)

    fact.refresh_from_db()
    assert fact.evidence_quote == expected
    assert (fact.source_session, fact.source_events) == (None, [])
    assert (fact.source_class, fact.write_timing) == ("user_direct", "manual")


def test_a_version_that_is_not_the_last_is_refused(owner, fact):
    edit(owner, fact, object="Nice")

    with pytest.raises(ItemChanged) as caught:
        edit(owner, fact, object="Metz", version=1)

    assert caught.value.detail == {"version": 2}
    fact.refresh_from_db()
    assert fact.object == "Nice"


def test_a_pin_leaves_the_quote(owner, fact):
    edit(owner, fact, is_pinned=True, object=fact.object)
    fact.refresh_from_db()
    assert (fact.evidence_quote, fact.write_timing) == ("I live in Lyon.", "immediate")


def test_other_words_need_another_vector(owner, fact):
    space = current_for(model="m", version="1", dimension=3)
    Fact.objects.update(embedding=[1, 0, 0], space=space)

    edit(owner, fact, is_pinned=True)
    fact.refresh_from_db()
    assert fact.embedding is not None

    edit(owner, fact, object="Nice")
    fact.refresh_from_db()
    assert (fact.embedding, fact.space) == (None, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"owner_id": 1},
        {"superseded_by": ""},
        {"source_class": "operator"},
        {"statement": "The user never said so."},
        {"category": "gossip"},
        {"object": ""},
        {"object": "x" * 201},
        {"is_pinned": "maybe"},
    ],
)
def test_what_is_not_a_persons_to_change_is_refused(owner, fact, fields):
    with pytest.raises(ItemUnfit) as caught:
        edit(owner, fact, **fields)

    assert caught.value.detail == {"field": next(iter(fields))}
    assert ChangeItem.objects.filter(act="edit").count() == 0


def test_a_rule_is_edited_by_its_text(owner):
    one = added("rule")
    changed(owner, one)

    edit(owner, Rule.objects.get(), kind="rule", text="You answer at length.")

    assert Rule.objects.get().text == "You answer at length."


def test_another_owners_item_is_unknown(porter, fact):
    with pytest.raises(ItemUnknown):
        edit(owner_of(porter, "bob"), fact, object="Nice")
