"""What was exported comes back, once, and without what was forgotten here."""

import io
import json
import zipfile
from collections.abc import Mapping

import pytest

from accounts.errors import Fault
from accounts.models import Owner
from accounts.owners import resolve_owner
from consolidation.deletion.erasure.job import advance
from consolidation.deletion.erasure.request import erase_owner
from consolidation.deletion.trace import Target
from consolidation.edits.memory import forget_items
from consolidation.errors import ImportNotReady, ImportOfAnother, ImportTooLarge, ImportUnfit
from consolidation.intake.accept import end_session
from consolidation.models import Import, Job
from consolidation.portable.export import FORMAT, VERSION, exported
from consolidation.portable.parts import PARTS
from consolidation.portable.reading.document import check_person, read_export
from consolidation.portable.request import (
    confirm_import,
    import_at_once,
    offer_of,
    prepare_import,
    progress_of,
)
from knowledge.changes.apply import revert_changeset
from knowledge.models import Arc, Changeset, ContextDocument, Fact, Rule, SavedFact
from knowledge.workspace.files import write_file
from memory.events import verify_chain
from memory.models import Chunk, Event, Session
from tests.consolidation.deletion.erasure.conftest import fill_person
from tests.factories import WHEN, run_jobs

pytestmark = pytest.mark.django_db
# What an id is of, or what this server made of it.
OURS = {
    "id",
    "owner_id",
    "session_id",
    "session",
    "source_session",
    "source_events",
    "source_event",
    "derived_from",
    "entry_id",
    "connection_id",
    "changeset",
    "evidence",
    "kept_events",
    "lost_events",
    "sessions",
    "sources",
    "reference",
    "number",
    "run_id",
    "space_id",
    "filed_under_id",
    "org_id",
    "organization_id",
    "embedding_state",
    "tier",
}

PICTURE = {"user_narratives", "scaffolds", "scaffold_entries", "learned_infos"}


def file_of(owner: Owner) -> bytes:
    return b"".join(exported([owner]))


def told(data: bytes) -> Mapping[str, list[str]]:
    """Return what a file tells, but for ids and for what the server makes of it."""
    sections = json.loads(data)["sections"]
    return {
        name: sorted(json.dumps(_plain(name, row), sort_keys=True) for row in sections[name])
        for name in (*PARTS, "files")
    }


def _plain(section: str, row: Mapping[str, object]) -> Mapping[str, object]:
    # A part of the picture says when it was written here.
    ours = OURS | {"created_at", "updated_at", "version"} if section in PICTURE else OURS
    return {name: value for name, value in row.items() if name not in ours}


def taken(owner: Owner, data: bytes) -> Import:
    export = read_export(data, agent=owner.agent.slug)
    return import_at_once(owner=owner, export=export, actor="test", progress=lambda rows: None)


def begun_anew(owner: Owner) -> Owner:
    """Erase a person, and return them as whom nothing is known of."""
    erasure = erase_owner(owner=owner, actor="test")
    while erasure.state == "running":
        erasure = advance(erasure)
    return resolve_owner(agent=owner.agent, user="alice")


@pytest.fixture
def alice(porter) -> Owner:
    session = fill_person(porter)
    event = session.events.in_order().first()
    Fact.objects.update(source_session=session.pk, source_events=[event.reference])
    write_file(owner=session.owner, name="USER.md", text="The secret trout.")
    end_session(session=Session.objects.open().get(), reason="explicit")
    run_jobs()
    return session.owner


def test_what_was_exported_is_exported_again(alice):
    alice.is_shared = False
    before = file_of(alice)
    anew = begun_anew(alice)
    assert told(file_of(anew)) != told(before)

    done = taken(anew, before)
    run_jobs()

    assert done.state == "done"
    assert not Owner.objects.get(pk=anew.pk).is_shared  # kept to the agent there, and here
    after = told(file_of(anew))
    for name, rows in told(before).items():
        assert after[name] == rows, name
    # What a fact is from is found where it stands now, and the log is whole.
    fact = Fact.objects.get(owner=anew)
    session = Session.objects.get(pk=fact.source_session)
    assert session.owner == anew
    assert fact.source_events == [session.events.in_order().first().reference]
    assert all(verify_chain(one) == [] for one in Session.objects.filter(owner=anew))
    assert Chunk.objects.filter(owner=anew, embedding_state="done").exists()
    assert Fact.objects.filter(owner=anew, embedding__isnull=False).exists()
    assert {one.pk for one in (Arc.objects.get(owner=anew),)}.isdisjoint(
        row["id"] for row in json.loads(before)["sections"]["arcs"]
    )


def test_taking_it_in_twice_adds_nothing(alice):
    data = file_of(alice)
    here = taken(alice, data)
    anew = begun_anew(alice)
    taken(anew, data)
    kept = told(file_of(anew))

    again = taken(anew, data)

    for done in (here, again):
        assert not any("added" in found for found in done.counts.values()), done.counts
        assert done.changeset is None
    assert told(file_of(anew)) == kept
    assert Changeset.objects.filter(owner=anew, origin="import").count() == 1


def test_a_look_changes_nothing_and_says_what_would_come(alice):
    data = file_of(alice)
    anew = begun_anew(alice)
    before = told(file_of(anew))

    offer = offer_of(owner=anew, export=read_export(data, agent="porter"))

    assert told(file_of(anew)) == before
    assert offer.left["receipts"] == 1
    assert taken(anew, data).counts == offer.counts


def test_what_was_forgotten_here_stays_forgotten(alice):
    data = file_of(alice)
    fact, arc, rule = (model.objects.get(owner=alice) for model in (Fact, Arc, Rule))
    doomed = [
        Target(kind, one.pk, one.version)
        for kind, one in (("fact", fact), ("arc", arc), ("rule", rule))
    ]
    forget_items(owner=alice, items=doomed, actor="alice")

    done = taken(alice, data)

    assert not Fact.objects.filter(owner=alice).exists()
    assert not Rule.objects.filter(owner=alice).exists()
    assert not Arc.objects.filter(owner=alice).exists()
    for name in ("facts", "arcs", "rules"):
        assert done.counts[name] == {"forgotten": 1}


def test_what_is_never_wanted_does_not_come_in(alice, porter):
    document = json.loads(file_of(alice))
    category = document["sections"]["facts"][0]["category"]
    for row in document["sections"]["approval_policys"]:
        row["category"], row["mode"] = category, "never"
    anew = begun_anew(alice)

    done = taken(anew, json.dumps(document).encode())

    assert done.counts["facts"] == {"unwanted": 1}
    assert not Fact.objects.filter(owner=anew).exists()


def test_it_is_taken_back_as_a_run_and_may_come_again(alice):
    data = file_of(alice)
    anew = begun_anew(alice)
    made = Changeset.objects.get(pk=taken(anew, data).changeset)
    assert made.origin == "import"

    revert_changeset(changeset=made, actor="alice")

    for model in (Fact, Arc, Rule, ContextDocument):
        assert not model.objects.filter(owner=anew).exists(), model
    assert Session.objects.filter(owner=anew).exists()
    assert taken(anew, data).counts["facts"] == {"added": 1}


def test_what_stands_here_is_not_written_over(alice):
    data = file_of(alice)
    anew = begun_anew(alice)
    row = json.loads(data)["sections"]["saved_facts"][0]
    SavedFact.objects.create(owner=anew, key=row["key"], value="newer", source="tool")

    done = taken(anew, data)

    assert SavedFact.objects.get(owner=anew).value == "newer"
    assert done.counts["saved_facts"] == {"known": 1}


def test_events_keep_their_order_and_their_times(alice):
    data = file_of(alice)
    lines = [
        (one.type, one.payload, one.occurred_at, one.committed_at)
        for one in Event.objects.filter(owner=alice).as_committed()
    ]
    anew = begun_anew(alice)

    taken(anew, data)

    mine = Event.objects.filter(owner=anew).as_committed()
    assert [(one.type, one.payload, one.occurred_at, one.committed_at) for one in mine] == lines


def spoilt(document, path: str, value: object) -> bytes:
    """Return a file with something else at a place; `-` is the end of a list."""
    whole = json.loads(json.dumps(document))
    *above, last = path.split("/")
    here = whole
    for key in above:
        here = here[int(key)] if isinstance(here, list) else here[key]
    if isinstance(here, list):
        here.append(value)
    else:
        here[last] = value
    return json.dumps(whole).encode()


FAULTS = {
    "format": "another",
    "version": 2,
    "user": 7,
    "agents": {"1": "porter", "2": "porter"},
    "kept_apart": ["1"],
    "sections": [],
    "sections/spells": [],
    "sections/facts": {},
    "sections/facts/-": "a fact",
    "sections/facts/0/created_at": "yesterday",
    "sections/facts/0/last_referenced_at": "2026-01-01T00:00:00",
    "sections/facts/0/object": "x" * 201,
    "sections/facts/0/evidence_quote": "\0",
    "sections/facts/0/category": "secret",
    "sections/facts/0/derived_from": ["no id"],
    "sections/facts/0/is_pinned": "yes",
    "sections/facts/0/source_turn": -1,
    "sections/facts/0/owner_id": 999_999,
    "sections/facts/0/power": "more",
    "sections/facts/0/id": "1",
    "sections/events/0/session_id": "01a1fc16-b108-7283-92fb-dd5eeee93618",
    "sections/events/0/payload": {"content": 7},
    "sections/events/0/lane": "side",
    "sections/entry_names/0/entry_id": 999_999,
    "sections/scaffolds/0/data": {"a/" * 300: 1},
    "sections/user_narratives/0/statements": [{"text": 1}],
    "sections/learned_infos/0/items": [7],
    "sections/connections/0/schema_url": "http://127.0.0.1/",
    "sections/scaffold_entries/0/path": "",
    "sections/context_documents/0/content": " ",
    "sections/entries/0/name": "\n",
}


def test_what_does_not_fit_is_refused_and_nothing_is_written(alice):
    document = json.loads(file_of(alice))
    anew = begun_anew(alice)
    before = told(file_of(anew))

    for path, value in FAULTS.items():
        with pytest.raises(Fault) as caught:
            taken(anew, spoilt(document, path, value))
        assert caught.value.status in {422, 404}, path
        assert caught.value.hint, path
    for data in (b"", b"PK", b"[1]", b"{", b'{"a": NaN}', b"\xff", b"[" * 100_000):
        with pytest.raises(ImportUnfit):
            read_export(data, agent="porter")

    assert told(file_of(anew)) == before
    assert not Session.objects.filter(owner=anew).exists()
    assert not Changeset.objects.filter(owner=anew).exists()


def test_a_zip_that_swells_is_refused(alice):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("memory.json", b" " * 2_000_000)
        data = file.getvalue()

    with pytest.raises(ImportTooLarge):
        read_export(data, agent="porter", most=1_000_000)
    with pytest.raises(ImportTooLarge):
        read_export(b" " * 11, agent="porter", most=10)


@pytest.mark.parametrize("packed", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_with_another_byte_anywhere_is_refused_or_read(packed):
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", packed) as archive:
            archive.writestr("memory.json", " ".join(map(str, range(60))))
        data = file.getvalue()

    refused = 0
    for place in range(2, len(data)):
        for flip in (0x01, 0x06, 0xFF):
            spoilt = bytearray(data)
            spoilt[place] ^= flip
            # Whatever is unpacked is a list of numbers with spaces between, and no export.
            with pytest.raises(ImportUnfit) as told:
                read_export(bytes(spoilt), agent="porter", most=1_000_000)
            refused += "zip is broken" in str(told.value)
    assert refused > len(data)


@pytest.mark.parametrize("owner", [[], {}, None, True, "1", 1.5])
def test_a_file_of_nobody_is_refused(owner):
    files = [{"owner_id": owner, "name": "USER.md", "text": "Trout."}]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "user": "alice",
        "agents": {"1": "porter"},
        "sections": {"files": files},
    }

    with pytest.raises(ImportUnfit, match="somebody else's"):
        read_export(json.dumps(document).encode(), agent="porter")


def test_a_file_of_somebody_else_is_taken_only_on_purpose(alice):
    export = read_export(file_of(alice), agent="porter")

    with pytest.raises(ImportOfAnother):
        check_person(export, key="bob", of="")
    check_person(export, key="bob", of="alice")
    check_person(export, key="alice", of="")


def test_no_row_of_another_person_is_reached(alice, porter):
    bob = fill_person(porter, "bob").owner
    before = told(file_of(bob))
    data = file_of(bob)

    taken(alice, data)

    assert told(file_of(bob)) == before
    mine = set(Fact.objects.filter(owner=alice).values_list("pk", flat=True))
    assert mine.isdisjoint(Fact.objects.filter(owner=bob).values_list("pk", flat=True))


def test_a_long_one_is_a_job_s_and_goes_on_where_it_stopped(alice, monkeypatch, failpoints):
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)
    data = file_of(alice)
    anew = begun_anew(alice)
    made, offer = prepare_import(owner=anew, data=data, actor="alice")
    begun = confirm_import(waiting=made, actor="alice")
    assert (begun.state, progress_of(begun)) == ("running", 0.0)
    with pytest.raises(ImportNotReady):
        confirm_import(waiting=made, actor="alice")

    (failpoints / "import.before_learned").write_text("raise")
    run_jobs()
    made.refresh_from_db()
    assert 0 < progress_of(made) < 1
    assert not Fact.objects.filter(owner=anew).exists()
    Job.objects.update(not_before=WHEN, dispatched_at=None)
    run_jobs()

    made.refresh_from_db()
    assert (made.state, made.file, progress_of(made)) == ("done", None, 1.0)
    assert made.counts["facts"] == offer.counts["facts"] == {"added": 1}
    assert Session.objects.filter(owner=anew).count() == 2
