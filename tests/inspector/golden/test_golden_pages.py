from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from audit.models import AuditEntry
from inspector.golden import trial
from memory.models import Chunk, EmbeddingSpace
from memory.muting import mute
from recall.models import GoldenQuestion, Receipt
from tests.factories import make_ended_session
from tests.recall.golden.asked import QUERY, TEXTS, event_of, golden, receipt_of
from tests.recall.golden.conftest import models

__all__ = ["models"]

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def clerk(client, porter) -> User:
    """Sign in staff of porter's organization, without any permission."""
    person = User.objects.create_user("clerk", is_staff=True, organization=porter.organization)
    client.force_login(person)
    return person


def shown(client, **query) -> str:
    return client.get(reverse("console-golden"), query).content.decode()


def tried(client, **chosen):
    return client.post(reverse("console-golden-try"), chosen)


def keep(client, receipt, **ticked):
    return client.post(reverse("console-golden-keep", args=[receipt.pk]), ticked, follow=True)


def test_an_empty_set_says_how_the_first_is_recorded(desk):
    page = shown(desk)

    assert "None is recorded yet" in page
    assert reverse("console-receipts") in page
    assert "manage.py golden add RECEIPT" in page


def test_the_set_shows_each_question_and_what_should_come(desk, porter, rival):
    golden(porter)
    golden(rival, "what does the dog eat?", "My dog eats beef.")

    page = shown(desk)
    alone = shown(desk, agent=str(porter.pk))

    assert QUERY in page
    assert TEXTS[0] in page
    assert "the dog eat" in page
    assert "the dog eat" not in alone
    assert AuditEntry.objects.filter(action="memory.view", subject__endswith=":golden").count() == 2


def test_what_was_forgotten_is_counted_and_not_shown(desk, porter):
    question = golden(porter)
    mute(owner=question.owner, by=uuid4(), events=question.expected, chunks=[])

    page = shown(desk)

    assert "1 forgotten since" in page
    assert TEXTS[0] not in page


def test_a_receipt_s_first_results_become_golden_in_one_click(desk, porter):
    receipt = receipt_of(make_ended_session(porter, TEXTS).owner)
    before = desk.get(reverse("console-receipt", args=[receipt.pk])).content.decode()

    answer = keep(desk, receipt)

    assert "This is what should come" in before
    assert GoldenQuestion.objects.get().expected == [event_of(TEXTS[0]).pk]
    assert "Recorded: 1 event should come." in answer.content.decode()
    assert "It is one already" in answer.content.decode()


def test_what_is_ticked_should_come_and_is_replaced_by_the_next(desk, porter):
    owner = make_ended_session(porter, ["We planted beans.", "We planted peas."]).owner
    receipt = receipt_of(owner)
    chunk = Chunk.objects.get(text="We planted peas.")

    keep(desk, receipt)
    answer = keep(desk, receipt, expected=[str(chunk.pk)], note="peas")

    question = GoldenQuestion.objects.get()
    assert (question.expected, question.note) == ([event_of("We planted peas.").pk], "peas")
    assert "Replaced what was recorded before" in answer.content.decode()


def test_what_the_receipt_does_not_hold_cannot_be_ticked(desk, porter):
    receipt = receipt_of(make_ended_session(porter, TEXTS).owner)

    for wrong in ("x", str(uuid4()), "\0"):
        assert "Nothing was recorded" in keep(desk, receipt, expected=[wrong]).content.decode()
    assert not GoldenQuestion.objects.exists()


def test_a_receipt_of_which_nothing_is_left_says_so(desk, porter):
    owner = make_ended_session(porter, TEXTS).owner
    receipt = receipt_of(owner)
    Chunk.objects.all().delete()

    assert "no passage of a session is left" in keep(desk, receipt).content.decode()


def test_a_trial_shows_question_by_question_what_is_lost_in_words(desk, porter, models):
    golden(porter, "zzz qqq", TEXTS[0])
    golden(porter, "zzz, qqq", TEXTS[1])
    far = EmbeddingSpace.objects.get(model="far")

    page = tried(desk, space=str(far.pk)).content.decode()

    assert "<b>1 gained</b>, <b>1 lost</b>" in page
    assert page.index("<b>lost</b>") < page.index(TEXTS[0])
    assert page.index("<b>gained</b>") < page.index(TEXTS[1])
    assert "first at" in page
    assert "not found" in page
    assert "as today" in page
    assert not Receipt.objects.exists()


def test_a_trial_without_a_choice_shows_how_it_is_today(desk, porter):
    golden(porter)

    page = tried(desk).content.decode()

    assert "1 question asked" in page
    assert "<b>1.000</b><small>as today: 1.000</small>" in page


def test_a_silent_model_and_a_space_that_is_not_full_are_told(desk, porter, models):
    golden(porter)
    make_ended_session(porter, ["Said later."])
    models["far"].fails = True
    far = EmbeddingSpace.objects.get(model="far")

    page = tried(desk, space=str(far.pk)).content.decode()

    assert "provider_unavailable" in page
    assert "1 text has no vector in far" in page


@pytest.mark.parametrize("limit", [{"MOST_ASKED": 2}, {"SECONDS": -1}])
def test_a_page_asks_no_more_than_it_has_time_for_and_names_the_command(
    desk, porter, monkeypatch, limit
):
    for number in range(3):
        golden(porter, f"{QUERY} {number}")
    for name, value in limit.items():
        monkeypatch.setattr(trial, name, value)

    page = tried(desk, agent=str(porter.pk), profile="ranks").content.decode()

    left = 1 if "MOST_ASKED" in limit else 2
    assert f"{left} question{'s were' if left > 1 else ' was'} not asked" in page
    assert "manage.py golden run --agent porter --profile ranks</code>" in page


@pytest.mark.parametrize("wrong", [{"profile": "best"}, {"space": "9999"}, {"agent": "x"}])
def test_a_setting_that_there_is_not_is_told_beside_its_field(desk, porter, wrong):
    golden(porter)

    answer = tried(desk, **wrong)

    assert answer.status_code == 422
    assert "Select a valid choice" in answer.content.decode()


def test_staff_without_the_right_read_and_change_nothing(client, clerk, porter):
    question, receipt = golden(porter), receipt_of(golden(porter).owner)

    assert QUERY in shown(client)
    assert "Try another setting" not in shown(client)
    page = client.get(reverse("console-receipt", args=[receipt.pk])).content.decode()
    assert "should come" not in page
    for answer in (
        tried(client),
        keep(client, receipt),
        client.post(reverse("console-golden-drop", args=[question.pk])),
    ):
        assert answer.status_code == 403
    assert GoldenQuestion.objects.count() == 1


def test_staff_try_their_own_questions_and_choose_no_space(client, clerk, porter, rival):
    clerk.user_permissions.add(Permission.objects.get(codename="change_goldenquestion"))
    golden(porter)
    other = golden(rival, "what does the dog eat?", "My dog eats beef.")
    space = EmbeddingSpace.objects.create(model="hashing", version="9", dimension=64)

    page = tried(client, space=str(space.pk), agent=str(rival.pk)).content.decode()

    assert "the dog eat" not in page
    assert 'name="space"' not in shown(client)
    drop = client.post(reverse("console-golden-drop", args=[other.pk]))
    assert drop.status_code == 404


def test_a_question_is_removed_and_the_act_recorded(desk, porter):
    question = golden(porter)

    answer = desk.post(reverse("console-golden-drop", args=[question.pk]), follow=True)

    assert "no longer golden" in answer.content.decode()
    assert AuditEntry.objects.get(action="golden.drop").actor == "operator"


def test_stored_markup_is_shown_and_not_run(desk, porter):
    golden(porter, HOSTILE, HOSTILE)
    GoldenQuestion.objects.update(note=HOSTILE, actor=HOSTILE)

    for page in (shown(desk), tried(desk).content.decode()):
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page


def test_more_questions_take_no_more_queries(desk, porter):
    def queries(client) -> int:
        with CaptureQueriesContext(connection) as asked:
            shown(client)
        return len(asked)

    golden(porter)
    shown(desk)
    few = queries(desk)
    for number in range(20):
        golden(porter, f"{QUERY} {number}")

    assert queries(desk) == few


def test_a_long_set_is_read_page_by_page(desk, porter):
    for number in range(27):
        golden(porter, f"{QUERY} {number:02}")

    first = desk.get(reverse("console-golden"))

    assert len(first.context["rows"]) == 25
    assert len(shown(desk, before=first.context["listed"].next).split(QUERY)) < 25
