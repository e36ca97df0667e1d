"""What else a person changes of what is kept about them: tools, learned texts; and the files, to read."""

import pytest
from django.urls import reverse

from accounts.models import Connection
from knowledge.models import ChangeItem, Changeset, LearnedInfo
from knowledge.workspace.files import write_file
from tests.inspector.person.people import HOSTILE, make_fact, make_person
from tests.inspector.person.remembered import make_held

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


@pytest.fixture
def tracker(alice) -> Connection:
    learned = {"project": "Boat", "limits": {"a": 1}}
    return Connection.objects.create(owner=alice, tool="tracker", persistent_learned_info=learned)


def post(client, name: str, /, *args, **fields):
    return client.post(reverse(name, args=args), fields, follow=True).content.decode()


def test_a_tool_is_switched_off_on_either_page_in_the_version_that_was_seen(client, alice, tracker):
    for page in ("profile", "notes"):
        shown = client.get(f"/memory/{alice.pk}/{page}/").content.decode()
        assert f'name="version" value="{tracker.version}"' in shown
        assert "Switch off" in shown

    where = (alice.pk, tracker.pk)
    off = post(client, "memory-tool-switch", *where, active="no", version=1, page="profile")
    tracker.refresh_from_db()
    assert (tracker.is_active, tracker.version) == (False, 2)
    assert "Switched off." in off
    assert '<h1 class="title">Profile</h1>' in off

    late = post(client, "memory-tool-switch", *where, active="yes", version=1)
    tracker.refresh_from_db()
    assert not tracker.is_active
    assert "it is in version 2, not 1" in late


def test_a_text_of_a_tool_is_corrected_and_the_rest_stays(client, alice, tracker):
    where = (alice.pk, tracker.pk)

    shown = post(client, "memory-tool-change", *where, key="project", value=HOSTILE, version=1)
    for fields in (
        {"key": "limits", "value": "x"},
        {"key": "none", "value": "x"},
        {"key": "project"},
    ):
        post(client, "memory-tool-change", *where, version=2, **fields)

    tracker.refresh_from_db()
    assert tracker.persistent_learned_info == {"project": HOSTILE, "limits": {"a": 1}}
    assert "<script>alert" not in shown


def test_nobody_touches_another_s_tool(client, alice, porter):
    _, bob = make_person(porter, "bob")
    other = Connection.objects.create(owner=bob, tool="tracker")

    for name in ("memory-tool-switch", "memory-tool-change", "memory-tool-forget"):
        assert client.post(reverse(name, args=(alice.pk, other.pk))).status_code == 404


def test_a_learned_text_is_corrected_in_the_version_that_was_seen(client, alice):
    LearnedInfo.objects.create(owner=alice, items=["likes tea", "has a boat"], version=3)
    wanted = {"part": "learned_info", "name": "likes tea"}

    late = post(client, "memory-profile-change", alice.pk, **wanted, value="x", version=2)
    assert "nothing was saved" in late
    shown = post(client, "memory-profile-change", alice.pk, **wanted, value="likes mate", version=3)

    assert set(LearnedInfo.objects.get(owner=alice).items) == {"has a boat", "likes mate"}
    assert "likes tea" not in shown
    assert ChangeItem.objects.filter(kind="learned_info", code="person.edit").count() == 2


def test_files_about_the_person_are_read_and_no_others(client, alice, porter):
    _, bob = make_person(porter, "bob")
    write_file(owner=bob, name="USER.md", text="bob's secret")
    assert "Files that" not in client.get(f"/memory/{alice.pk}/notes/").content.decode()
    write_file(owner=alice, name="USER.md", text=f"Alice likes trout. {HOSTILE}")

    listed = client.get(f"/memory/{alice.pk}/notes/").content.decode()
    shown = client.get(f"/memory/{alice.pk}/notes/?file=USER.md").content.decode()

    assert "?file=USER.md#file" in listed
    assert "SOUL.md" not in listed
    assert "Alice likes trout." in shown
    assert "<script>alert" not in shown
    for name in ("../USER.md", "SOUL.md", "\0", "x" * 5_000, ".lock"):
        page = client.get(f"/memory/{alice.pk}/notes/", {"file": name})
        assert page.status_code == 200
        assert "bob" not in page.content.decode().split("<main")[1]


def test_what_waits_is_a_list_of_its_own(client, alice):
    fact = make_fact(alice, "trout")
    made = Changeset.objects.create(owner=alice, origin="turn", run_key="waits")
    fields = {"object": "a boat", "predicate": "WANTS", "subject": "Bob", "subject_type": "Person"}
    item = ChangeItem.objects.create(
        changeset=made, place=0, kind="fact", act="add", after=fields, code="x", state="waiting"
    )
    make_held(alice, "a pony", "One day I want a pony.")

    facts = client.get(f"/memory/{alice.pk}/facts/?state=waiting").content.decode()
    rules = client.get(f"/memory/{alice.pk}/rules/?state=waiting").content.decode()

    assert "Bob wants a boat" in facts
    assert "a pony" in facts
    assert reverse("memory-change", args=(alice.pk, item.pk)) in facts
    assert str(fact.pk) not in facts
    assert "Nothing waits for your word." in rules


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Knows trout"),
        ({"subject_type": "Person", "subject": "Bob"}, "Bob knows trout"),
        (
            {"subject_type": "Person", "subject": "Bob", "predicate": "PARTICIPATED_IN"},
            "Bob took part in trout",
        ),
    ],
)
def test_a_fact_of_somebody_else_names_them(client, alice, fields, words):
    make_fact(alice, "trout", **fields)

    assert f">{words}</a>" in client.get(f"/memory/{alice.pk}/facts/").content.decode()
