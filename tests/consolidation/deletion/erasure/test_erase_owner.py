"""Everything of a person goes, and the proof of it stays."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from accounts.errors import ErasureUnconfirmed, ErasureUnderWay
from accounts.models import Balance, IdempotencyKey, Owner, User
from accounts.owners import find_owner, resolve_owner
from audit.models import AuditEntry, CostEntry
from consolidation.deletion import ledger
from consolidation.deletion.erasure.certificate import is_genuine
from consolidation.deletion.erasure.job import advance, progress
from consolidation.deletion.erasure.request import (
    check_confirmed,
    erase_owner,
    erase_person,
    preview,
)
from consolidation.deletion.erasure.steps import STEPS, clear, residue
from consolidation.deletion.places.table import (
    APART,
    KEPT,
    NOBODYS,
    PLACES,
    SEALED,
    label_of,
)
from consolidation.intake.accept import accept_events
from consolidation.models import Erasure, Job
from knowledge.models import Fact
from knowledge.workspace.files import write_file
from memory.errors import SessionClosed
from memory.events import verify_chain
from memory.models import Chunk, Embedding, Event, Session
from tests.consolidation.deletion.erasure.conftest import CANARY, fill_person
from tests.factories import make_agent, run_jobs, said

pytestmark = pytest.mark.django_db


def stored_words() -> dict[str, str]:
    """Return every row of every table, as text."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"select coalesce(string_agg(t::text, chr(10)), '') from \"{table}\" t")
            found[table] = cursor.fetchone()[0]
    return found


def where_it_stands(word: str) -> set[str]:
    return {table for table, text in stored_words().items() if word in text.casefold()}


def finished(erasure: Erasure) -> Erasure:
    while erasure.state == Erasure.State.RUNNING:
        erasure = advance(erasure)
    return erasure


def test_every_table_says_what_becomes_of_its_rows():
    named = [place.model for place in PLACES]
    listed = {*named, *APART, *KEPT, *NOBODYS}
    labels = {label_of(model) for model in listed} | SEALED.keys()

    assert len(named) == len(set(named))
    assert {model._meta.label for model in apps.get_models()} == labels


def test_every_table_with_a_way_to_an_owner_is_erased():
    reached: set[type[models.Model]] = {Owner}
    for _ in range(4):
        reached |= {
            model
            for model in apps.get_models()
            for field in model._meta.concrete_fields
            if isinstance(field, models.ForeignKey) and field.related_model in reached
        }

    assert reached - {place.model for place in PLACES} - APART.keys() - KEPT.keys() == set()


def test_no_word_of_the_person_is_left_anywhere(porter, data):
    session = fill_person(porter)
    write_file(owner=session.owner, name="USER.md", text="the trout")
    Balance.objects.create(user=session.owner.user, micro_usd=1)
    CostEntry.objects.create(
        owner=session.owner.pk,
        user=session.owner.user_id,
        purpose="embed",
        provider="openai",
        model="m",
        price_version="1",
        micro_usd=1,
        state="settled",
        day="2026-05-08",
    )
    assert len(where_it_stands(CANARY)) > 25
    before = preview([session.owner])

    erasure = finished(erase_owner(owner=session.owner, actor="test"))

    assert where_it_stands(CANARY) == set()
    assert where_it_stands("alice") == set()
    assert [path.name for path in data.rglob("*") if path.is_file()] == [ledger.FILE]
    assert not any(word in (data / ledger.FILE).read_text() for word in (CANARY, "alice"))
    assert residue(erasure.owners) == {}
    assert before.items() <= erasure.counts.items() | {
        (label, count) for label, count in before.items() if erasure.counts[label] >= count
    }
    assert not User.objects.filter(external_id="alice").exists()
    assert CostEntry.objects.get().user is None


def test_the_chain_can_still_be_verified(porter):
    session = fill_person(porter)
    hashes = list(Event.objects.filter(owner=session.owner).values_list("pk", "hash"))

    finished(erase_owner(owner=session.owner, actor="test"))

    assert all(verify_chain(one) == [] for one in Session.objects.all())
    assert list(Event.objects.values_list("pk", "hash")) == hashes
    assert not Event.objects.exclude(payload=None, salt=None).exists()


def test_it_leaves_everybody_else_as_they_were(porter, rival):
    mine, other, far = (
        fill_person(porter),
        fill_person(porter, "bob"),
        fill_person(rival, "alice"),
    )
    known = [preview([one.owner]) for one in (other, far)]

    finished(erase_owner(owner=mine.owner, actor="test"))

    assert [preview([one.owner]) for one in (other, far)] == known
    assert User.objects.filter(external_id="alice").count() == 1
    assert IdempotencyKey.objects.count() == 2


def test_one_agent_is_erased_and_the_other_still_knows_the_person(porter):
    clerk = make_agent("clerk")
    mine, theirs = fill_person(porter), fill_person(clerk)

    finished(erase_owner(owner=mine.owner, actor="test"))

    assert find_owner(agent=porter, user="alice") is None
    assert find_owner(agent=clerk, user="alice") == theirs.owner
    assert User.objects.filter(external_id="alice").exists()


def test_a_person_is_erased_as_all_agents_know_them(porter):
    clerk = make_agent("clerk")
    person = fill_person(porter).owner.user
    fill_person(clerk)

    begun = erase_person(person=person, actor="test")
    assert begun is not None
    erasure = finished(begun)

    assert where_it_stands(CANARY) == set()
    assert sorted(erasure.agents) == sorted([porter.pk, clerk.pk])
    assert not User.objects.filter(external_id="alice").exists()
    assert erase_person(person=person, actor="test") is None


def test_whoever_has_a_password_keeps_the_account(porter):
    owner = fill_person(porter).owner
    owner.user.set_password("correct horse battery")
    owner.user.save()

    finished(erase_owner(owner=owner, actor="test"))

    assert User.objects.filter(pk=owner.user_id).exists()


def test_the_person_s_own_name_leaves_the_ledger_of_acts(porter):
    owner = fill_person(porter).owner
    AuditEntry.objects.create(actor=owner.user.username, action="memory.edit", subject="1")

    finished(erase_owner(owner=owner, actor=owner.user.username))

    assert not AuditEntry.objects.filter(actor=owner.user.username).exists()
    assert AuditEntry.objects.get(action="memory.edit").actor.startswith("erased ")
    assert AuditEntry.objects.get(action="erasure.begin").actor == "the person"


def test_the_certificate_says_what_went_and_is_signed(porter):
    owner = fill_person(porter).owner

    certificate = finished(erase_owner(owner=owner, actor="test")).certificate

    assert certificate["erased"]["knowledge.Fact"] == 1
    assert certificate["verified"]["left"] == 0
    assert "docs/sealed.md" in certificate["kept"]["crisis.CrisisRecord"]
    assert certificate["agents"] == ["porter"]
    assert is_genuine(certificate)
    assert not is_genuine(certificate | {"erased": {}})
    assert not is_genuine({})


def test_nothing_is_written_while_it_is_under_way(porter):
    session = fill_person(porter)
    running = Session.objects.get(external_id="trout talk")
    erasure = erase_owner(owner=session.owner, actor="test")

    with pytest.raises(ErasureUnderWay):
        resolve_owner(agent=porter, user="alice")
    assert find_owner(agent=porter, user="alice") is None
    with pytest.raises(IntegrityError, match="erasure_under_way"), transaction.atomic():
        fact = Fact.objects.filter(owner=session.owner).get()
        fact.pk = None
        fact.save(force_insert=True)
    finished(erasure)
    running.refresh_from_db()
    with pytest.raises(SessionClosed):
        accept_events(agent=porter, session=running, drafts=[said("a late trout")])
    assert where_it_stands(CANARY) == set()


def test_a_vector_that_comes_late_is_left_out(porter):
    session = fill_person(porter)
    late = Embedding.objects.filter(owner=session.owner).first()
    chunk = Chunk.objects.filter(owner=session.owner).first()
    assert late is not None
    assert chunk is not None
    finished(erase_owner(owner=session.owner, actor="test"))

    Embedding.objects.bulk_create([late])

    assert not Embedding.objects.filter(owner=session.owner).exists()


def test_the_same_person_begins_anew_afterwards(porter):
    old = fill_person(porter).owner
    finished(erase_owner(owner=old, actor="test"))

    new = resolve_owner(agent=porter, user="alice")

    assert new.pk != old.pk
    assert preview([new]) == {}


def test_asking_twice_is_one_erasure(porter):
    owner = fill_person(porter).owner

    first, second = erase_owner(owner=owner, actor="a"), erase_owner(owner=owner, actor="b")

    assert first.pk == second.pk
    assert Job.objects.filter(kind="erase").count() == 1


def test_a_worker_does_it(porter):
    owner = fill_person(porter).owner
    erasure = erase_owner(owner=owner, actor="test")
    assert progress(erasure) == 0

    run_jobs()

    erasure.refresh_from_db()
    assert erasure.state == Erasure.State.DONE
    assert progress(erasure) == 1
    assert erasure.certificate_hash


@pytest.mark.parametrize("step", [*(step.name for step in STEPS), "finish"])
def test_it_goes_on_after_a_failure_at_each_step(porter, failpoints, step):
    owner = fill_person(porter).owner
    erasure = erase_owner(owner=owner, actor="test")
    (failpoints / f"erase.{step}").write_text("raise")

    run_jobs()
    erasure.refresh_from_db()
    assert erasure.state == Erasure.State.RUNNING
    Job.objects.filter(kind="erase").update(not_before="2026-01-01T00:00Z", dispatched_at=None)
    run_jobs()

    erasure.refresh_from_db()
    assert erasure.state == Erasure.State.DONE
    assert where_it_stands(CANARY) == set()


def test_what_the_check_finds_is_erased_in_another_round(porter):
    owner = fill_person(porter).owner
    erasure = erase_owner(owner=owner, actor="test")
    while erasure.position < len(STEPS):
        erasure = advance(erasure)
    Session.objects.filter(owner=owner).update(summary="a late trout")

    erasure = advance(erasure)

    assert (erasure.rounds, erasure.position) == (1, 0)
    assert finished(erasure).state == Erasure.State.DONE
    assert where_it_stands(CANARY) == set()


def test_what_cannot_be_cleared_fails_and_says_so(porter, monkeypatch):
    owner = fill_person(porter).owner
    erasure = erase_owner(owner=owner, actor="test")
    monkeypatch.setattr("consolidation.deletion.erasure.job.residue", lambda owners: {"x": 1})

    run_jobs()

    erasure.refresh_from_db()
    assert (erasure.state, erasure.error_code) == (Erasure.State.FAILED, "erasure_not_clean")
    assert Job.objects.get(kind="erase").last_error_code == "erasure_not_clean"


def test_the_name_is_typed_as_it_is():
    check_confirmed(given="alice", name="alice")
    with pytest.raises(ErasureUnconfirmed):
        check_confirmed(given="Alice", name="alice")


def test_clearing_twice_finds_nothing(porter):
    owner = fill_person(porter).owner
    owners = [owner.pk]
    for place in PLACES:
        clear(place, owners)

    assert {place.label: clear(place, owners) for place in PLACES if clear(place, owners)} == {}
