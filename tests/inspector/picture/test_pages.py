"""The picture of a person and the notes about them, as they see and change them."""

import pytest
from django.urls import reverse

from accounts.models import Connection
from consolidation.models import ContextEvent
from consolidation.observations.record import observe
from consolidation.profile.request import request_synthesis
from knowledge.models import ContextDocument, Entry, SavedFact, Scaffold, UserNarrative
from knowledge.notes.write import put_note
from recall.prompt.assembly import assemble_context
from tests.factories import make_session, run_jobs
from tests.inspector.person.people import HOSTILE, make_person


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def learn(owner, *texts, event_type="fact"):
    for text in texts:
        observe(owner=owner, event_type=event_type, content=text, source="interactive")
    request_synthesis(owner.pk)
    run_jobs()


def show(client, name, owner):
    answer = client.get(reverse(name, args=[owner.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def post(client, name, owner, /, *args, **fields):
    return client.post(reverse(name, args=[owner.pk, *args]), fields, follow=True)


def prompt_of(owner) -> str:
    prompt = assemble_context(session=make_session(owner.agent, owner.key), query="Where?")
    return " ".join(str(message["content"]) for message in prompt.messages)


def version(model, owner) -> int:
    return model.objects.get(owner=owner).version


@pytest.mark.requirement("TS-81")
def test_a_person_sees_what_was_learned_how_sure_it_is_and_by_which_words(client, alice):
    learn(alice, "User lives in Porto.")

    page = show(client, "memory-profile", alice)

    for part in (
        "Places",
        "Porto",
        "fairly sure",
        "User lives in Porto.",
        "What you are about now",
    ):
        assert part in page


def test_both_sides_of_a_contradiction_are_shown_and_which_won(client, alice):
    learn(alice, "User lives in Porto.")
    learn(alice, "User lives in Braga, not in Porto.", event_type="correction")

    page = show(client, "memory-profile", alice)

    assert "<s>Porto</s>" in page
    assert "because it was a correction" in page


def test_a_leaf_is_written_anew_and_the_next_prompt_has_it(client, alice):
    learn(alice, "User lives in Porto.")
    fields = {"part": "scaffold", "name": "/Places/Home", "version": version(Scaffold, alice)}

    page = post(client, "memory-profile-change", alice, value="Braga", **fields).content.decode()

    assert "Saved." in page
    assert "quite sure" in page
    assert Scaffold.objects.get().data["Places"] == {"Home": "Braga"}
    assert '"Home": "Braga"' in prompt_of(alice)


def test_a_list_is_written_line_by_line(client, alice):
    learn(alice, "User prefers short emails.", event_type="preference")
    fields = {"part": "scaffold", "name": "/Preferences", "version": version(Scaffold, alice)}

    post(
        client,
        "memory-profile-change",
        alice,
        value="short emails\n\n no emojis ",
        list="yes",
        **fields,
    )

    assert Scaffold.objects.get().data["Preferences"] == ["short emails", "no emojis"]


def test_the_narrative_is_written_anew(client, alice):
    learn(alice, "User lives in Porto.")
    fields = {"part": "narrative", "version": version(UserNarrative, alice)}

    post(client, "memory-profile-change", alice, value="I am moving to Braga.", **fields)

    assert UserNarrative.objects.get().text == "I am moving to Braga."


@pytest.mark.parametrize("seen", ["0", "9", "x", ""])
def test_what_changed_meanwhile_is_not_overwritten(client, alice, seen):
    learn(alice, "User lives in Porto.")

    page = post(
        client,
        "memory-profile-change",
        alice,
        part="scaffold",
        name="/Places/Home",
        value="Braga",
        version=seen,
    )

    assert "nothing was saved" in page.content.decode()
    assert Scaffold.objects.get().data["Places"] == {"Home": "Porto"}


def test_what_is_forgotten_goes_with_the_observations_that_taught_it(client, alice):
    learn(alice, "User lives in Porto.", "User works as a baker.")
    fields = {"part": "scaffold", "name": "/Places/Home", "version": version(Scaffold, alice)}

    asked = post(client, "memory-profile-forget", alice, **fields).content.decode()
    assert "Forget this?" in asked
    assert "Places" in Scaffold.objects.get().data

    done = post(client, "memory-profile-forget", alice, confirm="yes", **fields)
    fields["version"] = version(Scaffold, alice)
    again = post(client, "memory-profile-forget", alice, confirm="yes", **fields).content.decode()

    assert "Forgotten. Nothing brings it back." in done.content.decode()
    assert "Forgotten." not in again
    assert "This is not there any more. Nothing was forgotten." in again
    assert "Porto" not in str(Scaffold.objects.get().data)
    assert not ContextEvent.objects.filter(content__contains="Porto").exists()
    assert not ContextDocument.objects.filter(content__contains="Porto").exists()
    assert ContextDocument.objects.filter(content__contains="baker").exists()


def test_a_sentence_and_a_learned_text_are_forgotten(client, alice):
    text = "Invoices go out on Fridays."
    learn(alice, text, event_type="learned_fact")
    post(
        client,
        "memory-profile-forget",
        alice,
        part="learned_info",
        name=text,
        version=1,
        confirm="yes",
    )
    told = UserNarrative.objects.get()
    post(
        client,
        "memory-profile-forget",
        alice,
        part="narrative",
        name=told.text,
        version=told.version,
        confirm="yes",
    )

    page = show(client, "memory-profile", alice)
    assert "Fridays" not in page


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"part": "nonsense", "name": "x"},
        {"part": "scaffold", "name": "/" * 600, "value": "x"},
        {"part": "scaffold", "name": "Home", "value": "x"},
    ],
)
def test_a_form_that_makes_no_sense_changes_nothing(client, alice, fields):
    learn(alice, "User lives in Porto.")
    before = Scaffold.objects.values_list("data", "version").get()
    version_seen = {"version": before[1], **fields}

    for name in ("memory-profile-change", "memory-profile-forget"):
        assert post(client, name, alice, confirm="yes", **version_seen).status_code == 200

    assert Scaffold.objects.values_list("data", "version").get() == before


def test_a_text_with_a_nul_is_refused_with_a_page(client, alice):
    learn(alice, "User lives in Porto.")
    before = Scaffold.objects.values_list("data", "version").get()

    fields = {"part": "scaffold", "name": "a\0b", "version": before[1], "confirm": "yes"}
    page = post(client, "memory-profile-forget", alice, **fields)

    assert page.status_code == 400
    assert "<h1>This cannot be kept</h1>" in page.content.decode()
    assert Scaffold.objects.values_list("data", "version").get() == before


def test_a_note_is_changed_and_forgotten_in_the_version_that_was_seen(client, alice):
    put_note(owner=alice, actor="porter", name="cat", content="Eats trout.", aliases=["Minka"])
    first = Entry.objects.get().version
    assert f'name="version" value="{first}"' in show(client, "memory-notes", alice)

    post(client, "memory-note-write", alice, name="cat", content="Eats figs.", version=first)
    note = Entry.objects.get()
    assert note.content == "Eats figs."
    for seen in (first, "", "x", 0):
        late = post(
            client, "memory-note-write", alice, name="cat", content=f"Mine. {HOSTILE}", version=seen
        )
        page = late.content.decode()
        assert late.status_code == 409
        assert all(one in page for one in ("Eats figs.", "Mine.", "Save mine", "Keep this"))
        assert f'name="version" value="{note.version}"' in page
        assert "<script>alert" not in page
    assert Entry.objects.get().content == "Eats figs."
    post(client, "memory-note-write", alice, name="cat", content="Mine.", version=note.version)

    note.refresh_from_db()
    assert note.content == "Mine."
    asked = post(client, "memory-note-forget", alice, name="cat").content.decode()
    assert all(one in asked for one in ("Forget this?", "Mine.", "Its other name: Minka"))
    stale = {"name": "cat", "confirm": "yes", "version": first}
    assert post(client, "memory-note-forget", alice, **stale).status_code == 409
    assert Entry.objects.exists()
    done = post(client, "memory-note-forget", alice, **stale | {"version": note.version})
    assert "Forgotten." in done.content.decode()
    assert not Entry.objects.exists()
    assert (
        "not there any more" in post(client, "memory-note-forget", alice, **stale).content.decode()
    )
    # Deleted since, it can be written again.
    gone = post(client, "memory-note-write", alice, name="cat", content="Mine.", version=5)
    assert "was deleted since" in gone.content.decode()
    post(client, "memory-note-write", alice, name="cat", content="Mine.", version=0)
    assert Entry.objects.get().content == "Mine."


def test_saved_facts_and_tools_are_shown_and_forgotten(client, alice):
    fact = SavedFact.objects.create(
        owner=alice, key="Cat's name", value="Schrödinger", source="tool"
    )
    tool = Connection.objects.create(
        owner=alice, tool="tracker", persistent_learned_info={"project": "PORT"}
    )
    page = show(client, "memory-notes", alice)
    assert "Schrödinger" in page
    assert "project: PORT" in page

    for name, row, words in (
        ("memory-saved-forget", fact, "Schrödinger"),
        ("memory-tool-forget", tool, "project: PORT"),
    ):
        asked = post(client, name, alice, row.pk).content.decode()
        assert "Forget this?" in asked
        assert words in asked
    tool.refresh_from_db()
    assert (SavedFact.objects.count(), tool.persistent_learned_info) == (1, {"project": "PORT"})

    post(client, "memory-saved-forget", alice, fact.pk, confirm="yes")
    post(client, "memory-tool-forget", alice, tool.pk, confirm="yes")

    tool.refresh_from_db()
    assert tool.persistent_learned_info == {}
    assert not SavedFact.objects.exists()
    assert "gone already" in post(client, "memory-saved-forget", alice, fact.pk).content.decode()


def test_stored_text_stays_text(client, alice):
    learn(alice, f"User prefers {HOSTILE}.", event_type="preference")
    put_note(owner=alice, actor="x", name="x", content=HOSTILE)
    SavedFact.objects.create(owner=alice, key=HOSTILE, value=HOSTILE, source="tool")
    Connection.objects.create(
        owner=alice, tool=HOSTILE[:99], persistent_learned_info={HOSTILE: HOSTILE}
    )

    for name in ("memory-profile", "memory-notes"):
        page = show(client, name, alice)
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_another_s_is_not_there(client, alice, porter):
    _, bob = make_person(porter, "bob")
    tool = Connection.objects.create(owner=bob, tool="tracker", persistent_learned_info={"a": 1})

    for name in ("memory-profile", "memory-notes"):
        assert client.get(reverse(name, args=[bob.pk])).status_code == 404
    assert (
        post(client, "memory-profile-change", bob, part="narrative", value="x").status_code == 404
    )
    assert post(client, "memory-note-write", bob, name="x", content="x").status_code == 404
    assert post(client, "memory-tool-forget", alice, tool.pk).status_code == 404


def test_the_page_takes_as_many_queries_for_much_as_for_little(
    client, alice, django_assert_max_num_queries
):
    learn(alice, *(f"User has the habit number {number}." for number in range(10)))
    with django_assert_max_num_queries(14):
        client.get(reverse("memory-profile", args=[alice.pk]))


def test_an_empty_picture_is_said_in_words(client, alice):
    assert "No picture yet." in show(client, "memory-profile", alice)
    assert "No agent has written a note" in show(client, "memory-notes", alice)
