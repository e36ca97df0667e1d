from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from knowledge.errors import ItemChanged
from knowledge.models import Changeset, Fact, Rule
from tests.factories import make_agent
from tests.knowledge.learned import (
    added,
    change,
    changed,
    fact_fields,
    owner_of,
    replaced,
    rule_fields,
    state_of,
)


@pytest.fixture
def owner(porter):
    return owner_of(porter)


def items_of(made) -> list[tuple]:
    return list(made.items.order_by("place").values_list("kind", "act", "state", "code"))


def row_of(target) -> dict[str, object]:
    return dict(Fact.objects.filter(pk=target).values().get())


def test_an_item_keeps_why_it_was_written_and_what_it_wrote(owner):
    add = added()

    item = changed(owner, add).items.get()

    fact = Fact.objects.get(pk=add.target)
    assert (fact.object, fact.is_active, fact.version) == ("Lyon", True, 1)
    assert (item.quote, item.source_event, item.confidence) == ("I live in Lyon.", "ev-1", "high")
    assert (item.code, item.reason, item.policy_version) == ("llm_policy", "said so", "gate-1")
    assert item.before is None
    assert item.after["object"] == "Lyon"


def test_a_repeated_run_changes_nothing(owner):
    first = changed(owner, added(), key="turn-1")
    again = changed(owner, added(fields=fact_fields("Paris", "I live in Paris.")), key="turn-1")

    assert again == first
    assert Fact.objects.get().object == "Lyon"
    assert Changeset.objects.count() == 1


def test_a_bump_moves_one_time_alone(owner):
    add = added()
    changed(owner, add)
    before = row_of(add.target)

    moment = Fact.objects.get().last_referenced_at
    item = changed(owner, change("fact", "bump", add.target)).items.get()

    after = row_of(add.target)
    assert {name for name in after if after[name] != before[name]} == {"last_referenced_at"}
    assert item.before == {"last_referenced_at": moment.isoformat()}


@pytest.mark.requirement("OC-25")
def test_what_is_superseded_is_kept_and_counts_no_more(owner):
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)

    changed(owner, new, replaced(old.target, new.target))

    kept = Fact.objects.get(pk=old.target)
    assert kept.dormant_at
    assert kept.superseded_by == str(new.target)
    assert [fact.object for fact in Fact.objects.active()] == ["Paris"]


@pytest.mark.parametrize("act", ["bump", "retire"])
def test_what_counts_no_more_is_not_changed(owner, act):
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    changed(owner, new, replaced(old.target, new.target))
    before = state_of(owner)

    with pytest.raises(ItemChanged):
        changed(owner, added(), change("fact", act, old.target, {}))

    assert state_of(owner) == before


def test_another_owners_item_is_not_touched(owner, porter):
    theirs = added()
    changed(owner_of(porter, "bob"), theirs)

    with pytest.raises(ItemChanged):
        changed(owner, change("fact", "bump", theirs.target))


@pytest.mark.requirement("OC-49")
def test_the_twenty_first_rule_archives_the_oldest(owner):
    first, *_ = [changed(owner, added("rule", rule_fields(f"You do {n}."))) for n in range(20)]
    oldest = Rule.objects.get(pk=first.items.get().target)

    made = changed(owner, added("rule", rule_fields("You do more.")))

    oldest.refresh_from_db()
    assert Rule.objects.active().count() == 20
    assert (oldest.superseded_by, oldest.user_visible) == ("eviction", False)
    assert oldest.dormant_at
    assert items_of(made)[1] == ("rule", "retire", "applied", "rule_cap")


@pytest.mark.requirement("OC-50")
def test_what_is_evicted_or_replaced_stays_and_is_not_among_the_active(owner):
    old, new = added("rule"), added("rule", rule_fields("You answer at length."))
    changed(owner, old)
    changed(owner, new, replaced(old.target, new.target, "rule"))
    changed(owner, *[added("rule", rule_fields(f"You do {n}.")) for n in range(20)])

    assert Rule.objects.count() == 22
    texts = set(Rule.objects.active().values_list("text", flat=True))
    assert texts == {f"You do {n}." for n in range(20)}


def test_a_pinned_rule_is_not_evicted_while_others_are_there(owner):
    pinned = added("rule", rule_fields("You are kind.", is_pinned=True))
    changed(owner, pinned)

    changed(owner, *[added("rule", rule_fields(f"You do {n}.")) for n in range(20)])

    assert Rule.objects.active().filter(pk=pinned.target).exists()
    assert not Rule.objects.active().filter(text="You do 0.").exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("OC-51")
def test_ten_writers_of_one_profile_lose_nothing():
    owner = owner_of(make_agent("porter"))

    def write(number: int) -> None:
        try:
            changed(owner, added("rule", rule_fields(f"You do {number}.")), key=f"turn-{number}")
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(write, range(10)))

    texts = set(Rule.objects.active().values_list("text", flat=True))
    assert texts == {f"You do {n}." for n in range(10)}
    assert Changeset.objects.count() == 10


@pytest.mark.django_db(transaction=True)
def test_writers_beyond_the_cap_leave_exactly_the_cap():
    owner = owner_of(make_agent("porter"))
    changed(owner, *[added("rule", rule_fields(f"You do {n}.")) for n in range(18)])

    def write(number: int) -> None:
        try:
            changed(owner, added("rule", rule_fields(f"You also do {number}.")))
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))

    assert Rule.objects.active().count() == 20
    assert Rule.objects.active().filter(text__startswith="You also do").count() == 6


@pytest.mark.django_db(transaction=True)
def test_a_run_that_comes_twice_at_once_writes_once():
    owner = owner_of(make_agent("porter"))

    def write(number: int) -> None:
        try:
            changed(owner, added(), key="turn-1")
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(write, range(5)))

    assert (Fact.objects.count(), Changeset.objects.count()) == (1, 1)
