import itertools
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import EmbeddingSpace, Event
from memory.muting import mute
from recall.errors import VariantUnknown
from recall.golden.trying import by_change, tried
from recall.golden.variants import Variant, searching, space_named
from recall.models import Receipt
from tests.factories import make_ended_session
from tests.recall.golden.asked import QUERY, TEXTS, event_of, golden

pytestmark = pytest.mark.django_db(transaction=True)


def outcomes(*questions, **variant):
    return [row.outcome for row in tried(questions, variant=Variant(**variant))]


def test_without_a_change_nothing_is_gained_or_lost(porter):
    (found,) = outcomes(golden(porter))

    assert found.today == found.variant
    assert found.today.at_k == found.today.reciprocal_rank == 1
    assert not found.gained | found.lost


def test_another_space_shows_what_it_gains_and_loses(porter, models):
    lost = golden(porter, "zzz qqq", TEXTS[0])
    gained = golden(porter, "zzz, qqq", TEXTS[1])

    rows = list(tried([lost, gained], variant=Variant(space=space_named("far"))))

    assert rows[0].lost == [TEXTS[0]]
    assert rows[1].gained == [TEXTS[1]]
    assert [row.question for row in by_change(rows[::-1])] == [lost, gained]


def test_a_profile_without_meaning_loses_what_only_meaning_finds(porter, models):
    (found,) = outcomes(golden(porter, "zzz qqq", TEXTS[0]), profile="words")

    assert (found.today.at_k, found.variant.at_k) == (1, 0)
    assert found.lost == {event_of(TEXTS[0]).pk}


def test_a_question_is_embedded_once_for_each_space_and_the_user_does_not_pay(porter, models):
    question = golden(porter, "zzz qqq", TEXTS[0])

    outcomes(question, profile="ranks")
    assert models["near"].asked == ["zzz qqq"]
    outcomes(question, space=space_named("far"))

    assert (models["near"].asked, models["far"].asked) == (["zzz qqq"], ["zzz qqq"])
    charges = {(one.owner, one.spares_user) for one in models["near"].charges}
    assert charges == {(question.owner_id, True)}


def test_a_model_that_does_not_answer_is_told(porter, models):
    models["far"].fails = True

    (row,) = tried([golden(porter)], variant=Variant(space=space_named("far")))

    assert row.degraded == "provider_unavailable"


def test_what_was_forgotten_no_longer_counts(porter):
    question = golden(porter)
    both = [event_of(text).pk for text in TEXTS[:2]]
    question.expected = both
    mute(owner=question.owner, by=uuid4(), events=both[1:], chunks=[])

    (row,) = tried([question], variant=Variant())

    assert (row.expected, row.forgotten) == ({both[0]: TEXTS[0]}, 1)
    assert row.outcome.today.at_k == 1


@pytest.mark.parametrize("how", ["muted", "erased", "gone"])
def test_a_question_of_which_nothing_is_left_is_not_asked(porter, how):
    question = golden(porter)
    if how == "muted":
        mute(owner=question.owner, by=uuid4(), events=question.expected, chunks=[])
    elif how == "erased":
        Event.objects.filter(pk__in=question.expected).update(payload=None)
    else:
        question.expected = [uuid4()]

    (row,) = tried([question], variant=Variant())

    assert (row.outcome, row.forgotten, row.gained, row.lost) == (None, 1, [], [])


def test_the_event_of_somebody_else_is_never_shown(porter):
    question = golden(porter)
    make_ended_session(porter, ["A secret."], user="bob")
    question.expected = [event_of("A secret.").pk]

    (row,) = tried([question], variant=Variant())

    assert row.outcome is None


def test_it_writes_nothing(porter):
    question = golden(porter)

    with CaptureQueriesContext(connection) as asked:
        outcomes(question, profile="ranks")

    assert not Receipt.objects.exists()
    assert {one["sql"].split()[0].upper() for one in asked} <= {"SELECT", "WITH"}


def test_what_should_come_is_read_at_once_for_all(porter):
    golden(porter)

    def reads(count: int) -> int:
        questions = [golden(porter, f"{QUERY} {number}") for number in range(count)]
        with CaptureQueriesContext(connection) as asked:
            list(tried(questions, variant=Variant()))
        return sum('FROM "memory_event"' in one["sql"] for one in asked)

    assert reads(1) == reads(5) == 1


def test_questions_are_asked_one_by_one(porter):
    questions = [golden(porter, f"{QUERY} {number}") for number in range(3)]

    rows = tried(questions, variant=Variant())

    assert [row.question for row in itertools.islice(rows, 2)] == questions[:2]


def test_a_setting_that_there_is_not_is_refused(porter):
    for variant in (Variant(profile="best"), Variant(long_term_vectors="never")):
        with pytest.raises(VariantUnknown):
            searching(variant)
    with pytest.raises(VariantUnknown, match="there are of: none"):
        space_named("best")


def test_a_space_that_is_being_dropped_is_not_tried(db):
    EmbeddingSpace.objects.create(model="m", version="1", dimension=8, state="dropping")

    with pytest.raises(VariantUnknown):
        space_named("m")
