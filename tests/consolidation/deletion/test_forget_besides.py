"""What goes with a forgotten thing, what stays, and what comes back."""

from datetime import timedelta

import pytest

from consolidation.deletion.forget import footprint_of
from consolidation.deletion.remaining import remaining
from consolidation.deletion.trace import Deletion
from consolidation.deletion.undo import take_back_forgetting
from consolidation.intake.accept import accept_events
from inspector.person.forgetting import derived_words
from knowledge.models import Fact, SavedFact
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.files import read_file, write_file
from knowledge.workspace.learnings import append_correction, last_learnings
from knowledge.workspace.memory import append_facts
from memory.messages import draft_of
from memory.models import Event, Session
from tests.consolidation.deletion.forgetful import WEEK, cat, forgotten, prompt, talked
from tests.factories import WHEN, make_session, said


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR, settings.WORKSPACE = tmp_path, str(tmp_path / "workspace")


@pytest.fixture
def alice(porter):
    return talked(porter)


def test_what_the_machine_wrote_down_by_itself_goes_and_comes_back(
    alice, django_capture_on_commit_callbacks
):
    said_so = [NewFact("pet", "Minka the cat"), NewFact("sister", "Ana")]
    save_facts(owner=alice, facts=said_so, session=None, source="context_flush")
    save_facts(owner=alice, facts=[NewFact("mine", "Minka")], session=None, source="tool")
    append_facts(owner=alice, facts=said_so, run=1, day=WHEN.date())
    append_correction(owner=alice, at=WHEN, original="A dog?", correction="No, a cat: Minka.")
    write_file(owner=alice, name="USER.md", text="Feed Minka at six.")
    deletion = Deletion(alice, items=[cat(alice)])
    footprint = footprint_of(deletion)
    stays = remaining(alice, deletion.matchers, [cat(alice).pk])
    with django_capture_on_commit_callbacks(execute=True):
        act = forgotten(alice)

    def kept() -> str:
        return read_file(owner=alice, name="MEMORY.md") + str(last_learnings(alice))

    assert "pet: Minka the cat" in derived_words(footprint)
    assert stays.notes == ["mine", "USER.md"]
    assert set(SavedFact.objects.values_list("key", flat=True)) == {"sister", "mine"}
    assert "Minka" not in kept()
    assert "Ana" in kept()
    with django_capture_on_commit_callbacks(execute=True):
        take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    assert SavedFact.objects.filter(key="pet", value="Minka the cat").exists()
    assert kept().count("Minka") == 2


def test_facts_that_say_more_are_named_and_stay(alice):
    other = cat(alice)
    other.pk, other.object, other.evidence_quote = None, "fish", "Minka eats fish only."
    other.save(force_insert=True)
    row = Fact.objects.exclude(pk=other.pk).get(owner=alice, object__contains="Minka")

    assert remaining(alice, Deletion(alice, items=[row]).matchers, [row.pk]).facts == [other.pk]


def test_what_is_gone_for_good_does_not_come_back_with_another(alice):
    """The summary names both: each act keeps the sentence."""
    session = Session.objects.filter(owner=alice).order_by("opened_at")[0]
    both = "She has a cat, Minka, and a sister, Ana. She likes bread."
    Session.objects.filter(pk=session.pk).update(summary=both)
    sister = Fact.objects.get(owner=alice, object__contains="Ana")
    act = forgotten(alice, row=sister)
    assert "Minka" in str(act.contents)

    for keep_for in (WEEK, timedelta(0)):
        last = forgotten(alice, keep_for)
        if keep_for:
            take_back_forgetting(owner=alice, act=last.pk, actor="alice")

    act.refresh_from_db()
    assert "Minka" not in str(act.contents)
    take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    assert "Minka" not in prompt(alice)


def test_with_the_result_of_a_tool_goes_its_call(alice):
    call = {"id": "c1", "type": "function", "function": {"name": "pets", "arguments": "{}"}}
    session = make_session(alice.agent)
    asked = draft_of({"role": "assistant", "content": None, "tool_calls": [call]})
    drafts = [said("Look."), asked, said("Minka: 4 kg", "tool", tool_call_id="c1")]
    accept_events(agent=alice.agent, session=session, drafts=drafts)

    forgotten(alice)

    left = Event.objects.audible().filter(session=session)
    assert [event.type for event in left] == ["UserMsg"]
