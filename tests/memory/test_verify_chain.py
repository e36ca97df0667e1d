import pytest
from django.core.management import CommandError, call_command

from memory.events import append_events, verify_chain
from memory.models import Event
from tests.factories import make_session, said


@pytest.fixture
def session(porter):
    made = make_session(porter)
    append_events(session=made, drafts=[said("one"), said("two"), said("three")])
    return made


def test_an_untouched_log_holds(session):
    assert verify_chain(session) == []


def test_it_names_the_event_whose_payload_was_changed(session):
    Event.objects.filter(seq=2).update(payload={"content": "tow"})

    (found,) = verify_chain(session)

    assert (found.lane, found.seq) == ("edge", 2)
    assert "payload" in found.why


def test_it_finds_a_changed_link(session):
    Event.objects.filter(seq=2).update(prev_hash=b"\x01" * 32)

    assert [found.seq for found in verify_chain(session)] == [2]


def test_it_finds_a_hole(session):
    Event.objects.filter(seq=2).delete()

    assert verify_chain(session)[0].why == "expected event 2"


def test_it_finds_a_cut_tail(session):
    Event.objects.filter(seq=3).delete()

    (found,) = verify_chain(session)

    assert found.why == "the log ends before its head"


def test_an_erased_payload_leaves_the_chain_whole(session):
    Event.objects.filter(seq=2).update(payload=None, salt=None)

    assert verify_chain(session) == []


def test_the_command_says_that_all_hold(session, capsys):
    call_command("verify_chain")

    assert "1 sessions hold" in capsys.readouterr().out


def test_the_command_fails_for_a_broken_chain(session):
    Event.objects.filter(seq=1).update(type="ModelOutput")

    with pytest.raises(CommandError, match="1 breaks in 1 sessions"):
        call_command("verify_chain", str(session.pk))
