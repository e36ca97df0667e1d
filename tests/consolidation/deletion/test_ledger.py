"""What was erased and forgotten stands outside the database, in ids and digests."""

import json
import stat
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from consolidation.deletion import ledger
from consolidation.deletion.erasure.job import advance
from consolidation.deletion.erasure.request import erase_owner
from consolidation.deletion.forget import AT_ONCE, forget
from consolidation.deletion.ledger import Erased, Whose
from consolidation.deletion.trace import Target
from consolidation.deletion.undo import make_final, take_back_forgetting
from consolidation.errors import LedgerUnreadable, LedgerUnwritable
from consolidation.models import Erasure
from knowledge.models import Fact, Forgetting, Tombstone
from memory.models import Event
from memory_project.backups.reapply import reapply
from tests.consolidation.profile.observed import owner_of
from tests.factories import make_ended_session, make_session, run_jobs

LONG_AGO = timezone.now() - timedelta(days=30)


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def alice(porter):
    make_ended_session(porter, ["My cat is called Minka.", "My sister is called Ana."])
    run_jobs()
    return owner_of(porter)


def drop(owner, name, keep_for=AT_ONCE):
    row = Fact.objects.get(owner=owner, object__contains=name)
    items = [Target("fact", row.pk)]
    return forget(owner=owner, items=items, actor="alice", keep_for=keep_for).act


def again():
    done = reapply(ledger.read(ledger.place()), since=LONG_AGO, progress=lambda: None)
    return done.erased, done.forgotten, done.taken_back


def test_it_holds_no_word_and_is_for_its_owner_alone(alice, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        act = drop(alice, "Minka", timedelta(days=7))
        make_final(owner=alice, act=act.pk, actor="alice")
        back = drop(alice, "Ana", timedelta(days=7))
        take_back_forgetting(owner=alice, act=back.pk, actor="alice")
        erase_owner(owner=alice, actor="alice")

    text = ledger.place().read_text()
    lines = [json.loads(line) for line in text.splitlines()]

    acts = [one["act"] for one in lines]
    assert acts == ["forget", "make_final", "forget", "take_back", "erase"]
    assert stat.S_IMODE(ledger.place().stat().st_mode) == 0o600
    for word in ("minka", "ana", "alice", "cat", "sister"):
        assert f'"{word}' not in text.lower()
        assert f" {word}" not in text.lower()


def test_without_a_ledger_nothing_is_forgotten_and_nothing_erased(alice, settings, data):
    settings.DATA_DIR = data / "file"
    settings.DATA_DIR.touch()
    erasure = erase_owner(owner=alice, actor="alice")

    with pytest.raises(LedgerUnwritable):
        advance(erasure)

    assert Fact.objects.filter(owner=alice).count() == 2
    assert Erasure.objects.get().position == 0


def test_what_was_learned_and_forgotten_after_the_backup_is_not_learned_again(alice):
    act = drop(alice, "Minka")
    muted, buried = set(act.events), set(Tombstone.objects.values_list("digest", flat=True))
    # As a backup has it in which nothing was learned yet.
    Forgetting.objects.all().delete()
    Tombstone.objects.all().delete()
    Event.objects.update(muted_by=None)

    assert again() == (0, 1, 0)
    assert again() == (0, 0, 0)
    found = Forgetting.objects.get()
    assert found.pk == act.pk
    assert found.contents is None
    assert set(Event.objects.exclude(muted_by=None).values_list("pk", flat=True)) == muted
    assert set(Tombstone.objects.values_list("digest", flat=True)) == buried


def test_what_was_taken_back_after_the_backup_is_taken_back_again(
    alice, django_capture_on_commit_callbacks
):
    act = drop(alice, "Minka", timedelta(days=7))
    with django_capture_on_commit_callbacks(execute=True):
        ledger.note_end(act.pk, "take_back")
    Forgetting.objects.update(final_at=timezone.now() - timedelta(days=1))

    assert again() == (0, 0, 1)
    assert Fact.objects.filter(owner=alice, object__contains="Minka").exists()


def test_a_number_that_is_anothers_now_is_left_alone(alice, porter):
    other = make_session(porter, user="bob").owner
    mine = ledger.whose(alice)
    wrong = Whose(id=other.pk, who=mine.who)
    ledger.add([Erased(act="erase", id=uuid4(), at=timezone.now(), owners=[wrong])])

    done = reapply(ledger.read(ledger.place()), since=LONG_AGO, progress=lambda: None)
    assert (done.erased, done.strangers) == (0, 1)
    assert not Erasure.objects.exists()


def test_what_was_written_down_long_before_the_backup_is_in_it(alice):
    drop(alice, "Minka")
    Forgetting.objects.all().delete()
    lines = ledger.read(ledger.place())

    done = reapply(lines, since=timezone.now() + timedelta(hours=2), progress=lambda: None)

    assert done.forgotten == 0


def test_a_line_cut_off_is_let_go_and_any_other_is_refused(alice):
    drop(alice, "Minka")
    with ledger.place().open("a") as file:
        file.write('{"act":"erase","id":"01')
    assert len(ledger.read(ledger.place())) == 1

    drop(alice, "Ana")
    assert len(ledger.read(ledger.place())) == 2
    with ledger.place().open("a") as file:
        file.write('{"act":"spell"}\n')
    with pytest.raises(LedgerUnreadable):
        ledger.read(ledger.place())


def test_the_ledger_of_another_folder_is_taken_over_once(alice, settings, data):
    drop(alice, "Minka")
    other = data / "other.jsonl"
    ledger.place().rename(other)

    first, second = ledger.adopt([other]), ledger.adopt([other])

    assert first == second == ledger.read(ledger.place())
    assert len(first) == 1
