"""`manage.py golden`: what a trial prints, and when it fails."""

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from memory.models import Event
from memory.muting import mute
from recall.models import GoldenQuestion, Receipt
from tests.factories import make_ended_session
from tests.recall.golden.asked import QUERY, TEXTS, golden, receipt_of

pytestmark = pytest.mark.django_db(transaction=True)


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("golden", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_a_receipt_is_recorded_and_listed_without_its_words(porter):
    receipt = receipt_of(make_ended_session(porter, TEXTS).owner)

    added = said("add", str(receipt.pk), "--note", "spring")
    again = said("add", str(receipt.pk))

    question = GoldenQuestion.objects.get()
    assert added == f"recorded {question.pk}: 1 should come\n"
    assert again.startswith("replaced")
    assert f"{question.pk}  porter: 1 should come" in said("list")
    assert QUERY not in said("list") + said("run")


def test_a_run_shows_question_by_question_and_a_summary(porter):
    question = golden(porter)

    printed = said("run", "--profile", "ranks").splitlines()

    assert printed[0].split() == ["today", "variant", "gained", "lost", "question"]
    assert printed[1].split() == ["1.00", "1.00", "0", "0", str(question.pk), "porter"]
    assert printed[2].startswith("1 question: recall@5 1.000 → 1.000, recall@10 1.000 → 1.000, MRR")


def test_a_run_is_repeated_without_harm(porter):
    golden(porter)

    assert said("run") == said("run")
    assert not Receipt.objects.exists()


def test_what_was_forgotten_is_said_and_does_not_fail(porter):
    question = golden(porter)
    mute(owner=question.owner, by=uuid4(), events=question.expected, chunks=[])

    printed = said("run")

    assert "(all of it was forgotten)" in printed
    assert "1 not asked" in printed


@pytest.mark.parametrize("variant", [("--profile", "words"), ("--space", "far")])
def test_a_variant_that_loses_fails_unless_it_is_allowed(porter, models, variant):
    golden(porter, "zzz qqq")

    with pytest.raises(CommandError, match=r"loses 1\.000 of recall@5"):
        said("run", *variant)

    assert "1 lost" in said("run", *variant, "--allow-loss", "1")


def test_gains_make_up_for_losses_in_the_mean(porter, models):
    golden(porter, "zzz qqq", TEXTS[0])
    golden(porter, "zzz, qqq", TEXTS[1])

    printed = said("run", "--space", "far")

    assert "1 gained and 1 lost" in printed
    assert [line.split()[:4] for line in printed.splitlines()[1:3]] == [
        ["1.00", "0.00", "0", "1"],
        ["0.00", "1.00", "1", "0"],
    ]


def test_nothing_is_decided_while_a_model_is_silent(porter, models):
    golden(porter)
    models["far"].fails = True

    with pytest.raises(CommandError, match=r"provider_unavailable.*nothing is decided"):
        said("run", "--space", "far")


def test_it_says_what_a_space_lacks(porter, models):
    golden(porter)
    make_ended_session(porter, ["Said later."])

    assert "1 texts have no vector in far (8) yet" in said("run", "--space", "far")


def test_an_empty_list_says_how_the_first_is_recorded(db):
    assert "no golden questions yet. Record one with" in said("list")


def test_only_the_agent_s_questions_are_asked(porter, rival):
    mine, other = golden(porter), golden(rival, text="My dog eats beef.")

    for option in (("--agent", "rival"), ("--organization", "elsewhere")):
        printed = said("run", *option)

        assert str(other.pk) in printed
        assert str(mine.pk) not in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run",), "no golden questions yet. Record one with"),
        (("run", "--agent", "nobody"), "agent nobody has no golden questions"),
        (("add", str(uuid4())), "/console/receipts/ lists them"),
        (("run", "--k", "0"), "--k is 1 to 200"),
        (("run", "--allow-loss", "nan"), "--allow-loss 0 to 1"),
        (("run", "--profile", "best"), "invalid choice"),
        (("add", "x"), "invalid UUID"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(db, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        said(*arguments)


def test_a_model_without_vectors_is_named_with_those_that_have_some(porter, models):
    golden(porter)

    with pytest.raises(CommandError, match="there are of: far, "):
        said("run", "--space", "best")


def test_an_expected_id_that_is_not_the_user_s_is_refused(porter):
    receipt = receipt_of(make_ended_session(porter, TEXTS).owner)
    make_ended_session(porter, ["A secret."], user="bob")
    secret = Event.objects.get(payload__content="A secret.")

    with pytest.raises(CommandError, match="cannot be expected"):
        said("add", str(receipt.pk), "--expect", str(secret.pk))
