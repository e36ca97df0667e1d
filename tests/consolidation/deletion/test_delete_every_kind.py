"""Each kind of thing goes through one door: the ledger has it, it can be taken back, it stays gone."""

import shutil
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.owners import resolve_owner
from consolidation.deletion import ledger
from consolidation.deletion.forget import forget
from consolidation.deletion.places.table import PLACES, TRACES
from consolidation.deletion.trace import Target
from consolidation.deletion.undo import take_back_forgetting
from consolidation.errors import LedgerUnwritable
from knowledge.models import Entry, Forgetting, SavedFact
from knowledge.notes.write import put_note
from knowledge.workspace.files import read_file, write_file
from memory_project.backups.reapply import reapply
from tests.consolidation.deletion.deleted import delete, fill, left, others, targets


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR, settings.WORKSPACE = tmp_path / "data", str(tmp_path / "workspace")
    return tmp_path


def again(since):
    return reapply(ledger.read(ledger.place()), since=since, progress=lambda: None).forgotten


def test_nothing_deleted_comes_back_with_an_older_backup(porter, data_folder):
    alice, own = fill(porter)
    known = targets(alice, own)
    backup, stays = timezone.now(), others
    assert left(alice) == set(known)
    shutil.copytree(data_folder / "workspace", data_folder / "kept")
    database = transaction.savepoint()
    delete(known)
    assert left(alice) == set()
    after = stays(alice)

    transaction.savepoint_rollback(database)
    shutil.rmtree(data_folder / "workspace")
    (data_folder / "kept").rename(data_folder / "workspace")
    assert left(alice) == set(known)

    assert again(backup) == len(known)
    assert left(alice) == set()
    assert others(alice) == after
    assert again(backup) == 0


def test_each_kind_is_taken_back_while_there_is_time(porter):
    alice, own = fill(porter)
    known = targets(alice, own)
    before = others(alice)

    acts = delete(known, timedelta(days=7))
    assert left(alice) == set()
    for owner, act in reversed(acts):
        take_back_forgetting(owner=owner, act=act.pk, actor="alice")

    assert left(alice) == set(known)
    assert sorted(others(alice)) == sorted(before)
    assert not Forgetting.objects.exists()


def test_what_was_written_anew_in_its_place_stays_when_it_is_taken_back(porter):
    alice, own = fill(porter)
    known = targets(alice, own)
    acts = delete({kind: known[kind] for kind in ("note", "file")}, timedelta(days=7))
    put_note(owner=alice, actor="a", name="hives", content="none left")
    write_file(owner=alice, name="USER.md", text="She moved.")

    for owner, act in acts:
        take_back_forgetting(owner=owner, act=act.pk, actor="alice")

    assert Entry.objects.get(owner=alice, name="hives").content == "none left"
    assert read_file(owner=alice, name="USER.md") == "She moved."


def test_a_note_of_the_same_name_is_another_and_a_restore_leaves_it(porter):
    alice, own = fill(porter)
    backup = timezone.now()
    delete({"note": targets(alice, own)["note"]})
    Forgetting.objects.all().delete()
    put_note(owner=alice, actor="a", name="hives", content="a new one")

    assert again(backup) == 1
    assert Entry.objects.get(owner=alice, name="hives").content == "a new one"


def test_a_file_that_was_written_anew_before_the_backup_is_left_alone(porter):
    alice, own = fill(porter)
    delete({"file": targets(alice, own)["file"]})
    Forgetting.objects.all().delete()
    write_file(owner=alice, name="USER.md", text="She moved.")

    again(timezone.now())

    assert read_file(owner=alice, name="USER.md") == "She moved."


def test_the_ledger_names_nothing(porter):
    alice, own = fill(porter)
    delete(targets(alice, own))

    text = ledger.place().read_text().lower()

    assert not [word for word in ("bees", "hives", "honey", "user.md", "garden") if word in text]


@pytest.mark.parametrize("kind", ["note", "saved_fact", "connection", "file", "narrative"])
def test_without_a_ledger_nothing_is_deleted(porter, settings, data_folder, kind):
    alice, own = fill(porter)
    known = targets(alice, own)
    settings.DATA_DIR = data_folder / "not_a_folder"
    settings.DATA_DIR.touch()

    with pytest.raises(LedgerUnwritable), transaction.atomic():
        delete({kind: known[kind]})

    assert left(alice) == set(known)


def test_what_is_gone_already_makes_no_act(porter):
    alice = resolve_owner(agent=porter, user="alice")
    gone = [
        Target("note", "hives"),
        Target("narrative", "She sings."),
        Target("fact", alice.agent_id),
    ]

    assert forget(owner=alice, items=gone, actor="alice").act is None
    assert not SavedFact.objects.exists()


def test_every_trace_stands_at_a_table_or_in_files():
    at_tables = {trace.name for place in PLACES for trace in place.traces}

    assert {trace.name for trace in TRACES} - at_tables == {"lines", "files"}
