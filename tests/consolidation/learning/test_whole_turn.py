"""A turn asked about as a whole: one call, changes that stand alone, each held against the message."""

import json
from datetime import date

import pytest

from consolidation.models import Candidate, Job, LearningRun
from knowledge.changes.apply import revert_changeset
from knowledge.models import Changeset, Entity, Fact, Rule
from recall.prompt.assembly import assemble_context
from tests.consolidation.learning.lessons import again, runs, states
from tests.consolidation.learning.wholes import (
    change,
    person,
    reply,
    rule,
    talk,
)
from tests.factories import WHEN, make_agent, make_session

JOB = "I work at the harbour office, and my daughter Mira starts school on Monday."


@pytest.fixture
def butler(db):
    return make_agent("butler", learning_policy="assistant", time_zone="Europe/Berlin")


@pytest.fixture
def session(butler):
    return make_session(butler)


def learn(session, teacher, text: str, *replies: str, answer: str = "I see.") -> None:
    teacher.script = list(replies)
    talk(session, text, answer)
    again()


def prompt_of(session) -> str:
    return json.dumps(assemble_context(session=session).messages, ensure_ascii=False)


def shown(asked) -> list[dict]:
    return [json.loads(row) for row in asked.texts[1].split("\n") if row.startswith("{")]


@pytest.mark.requirement("OC-04")
@pytest.mark.requirement("OC-05")
def test_one_call_feeds_both_lanes_and_each_is_written_by_itself(session, teacher):
    text = f"{JOB} And please keep it short from now on."

    learn(
        session,
        teacher,
        text,
        reply(
            change(
                "The user works at the harbour office (May 2026).", "I work at the harbour office"
            ),
            rule("Keep answers short.", "please keep it short from now on"),
        ),
    )

    assert len(teacher.chats) == 1
    assert runs(session) == [(1, "semantic", "done", ""), (1, "procedural", "done", "")]
    assert Fact.objects.get().statement == "The user works at the harbour office (May 2026)."
    assert Rule.objects.get().text == "Keep answers short."
    reports = LearningRun.objects.values_list("diagnostics", flat=True)
    assert all(
        (one["semantic_committed"], one["procedural_committed"]) == (1, 1) for one in reports
    )


def test_what_is_stated_is_kept_at_once_with_its_times_and_whom_it_is_about(session, teacher):
    learn(
        session,
        teacher,
        JOB,
        reply(
            change(
                "Mira, the user's daughter, starts school on 11 May 2026.",
                "my daughter Mira starts school on Monday",
                about=person("Mira", "the user's daughter"),
                kind="plan",
                happened="2026-05-11",
                holds_until="2026-05-11",
            )
        ),
    )

    fact = Fact.objects.get()
    mira = Entity.objects.get()
    assert (mira.name, mira.kind, mira.relation) == ("Mira", "Person", "the user's daughter")
    assert (fact.about, fact.subject, fact.subject_type) == (mira.pk, "Mira", "Person")
    assert (fact.said_at, fact.happened, fact.holds_until) == (
        WHEN,
        "2026-05-11",
        date(2026, 5, 11),
    )
    assert (fact.basis, fact.durability, fact.category) == ("stated", "lasting", "plan")


def test_the_model_is_shown_the_time_where_the_user_is_and_what_is_known_nearby(session, teacher):
    first = change(
        "Mira is the user's daughter.",
        "my daughter Mira",
        about=person("Mira", "the user's daughter"),
    )
    brief = rule("Keep answers short.", "starts school")
    learn(session, teacher, JOB, reply(first, brief))

    learn(session, teacher, "Mira lost her first tooth yesterday!", reply())

    rows = shown(teacher.chats[-1])
    new = [row for row in rows if row.get("new")]
    assert [row["text"] for row in new] == ["Mira lost her first tooth yesterday!"]
    assert new[0]["at"] == "2026-05-08 Friday 11:30"
    assert {"time": "2026-05-08 Friday 11:30", "zone": "Europe/Berlin"} in rows
    facts = [row for row in rows if "fact" in row]
    assert [(row["id"], row["said"], row["about"]) for row in facts] == [("f1", "2026-05-08", "e1")]
    assert [row["name"] for row in rows if row.get("id") == "e1"] == ["Mira"]
    assert [row["rule"] for row in rows if row.get("id") == "r1"] == ["Keep answers short."]


def test_the_system_part_is_the_same_for_every_turn(session, teacher):
    learn(session, teacher, JOB, reply())
    learn(session, teacher, "We sail to Bergen in July.", reply())

    first, second = (asked.texts[0] for asked in teacher.chats)
    assert first == second


def test_small_talk_asks_nobody_unless_it_answers_a_question(session, teacher):
    learn(session, teacher, "thanks!", answer="Do you eat meat?")
    assert teacher.chats == []

    learn(
        session,
        teacher,
        "no",
        reply(
            change(
                "The user eats no meat.",
                "no",
                kind="diet",
                basis="answered",
                question="Do you eat meat?",
            )
        ),
    )

    assert (len(teacher.chats), Fact.objects.get().statement) == (1, "The user eats no meat.")


def test_a_bad_change_is_dropped_by_itself_with_its_code(session, teacher):
    good = change("The user works at the harbour office.", "I work at the harbour office")
    bad = [
        change("The user is a pilot.", "I am a pilot"),
        change("The user works there.", "I work at the harbour office", kind="hobby"),
        change("Mira starts school tomorrow.", "my daughter Mira starts school"),
        change("Mira starts school.", "my daughter Mira", happened="2026-02-30"),
        change("The user moved.", "I work at the harbour office", op="revise", targets=["f9"]),
        change("The user is tired.", "I work at the harbour office", durability="passing"),
        change("", "I work at the harbour office"),
    ]

    learn(session, teacher, JOB, reply(*bad, {"op": "add"}, {"nonsense": 1}, good))

    assert [code for _, _, code in states(session)] == [
        "guard.not_quoted",
        "guard.unknown_kind",
        "guard.not_alone",
        "guard.bad_date",
        "guard.unknown_target",
        "guard.passing",
        "guard.not_alone",
        "llm_policy",
    ]
    assert Fact.objects.count() == 1
    assert LearningRun.objects.filter(diagnostics__unfit=2).count() == 2


@pytest.mark.parametrize(
    "quote",
    ["i’m ALLERGIC to peanuts", "I'm allergic  to peanuts.", "“I'm allergic to peanuts”"],
)
def test_a_quote_is_found_in_other_forms_of_the_same_words(session, teacher, quote):
    learn(
        session,
        teacher,
        "By the way, I'm allergic to peanuts.",
        reply(change("The user is allergic to peanuts.", quote, kind="health")),
    )

    assert Fact.objects.get().statement == "The user is allergic to peanuts."


def test_a_malformed_reply_is_asked_again_then_waits_and_is_never_silently_done(session, teacher):
    learn(session, teacher, JOB, "prose", "prose")

    assert len(teacher.chats) == 2
    assert runs(session) == [
        (1, "semantic", "due", "reply_malformed"),
        (1, "procedural", "due", "reply_malformed"),
    ]
    assert Job.objects.get(kind="learn").state == "due"


def test_what_was_answered_is_not_asked_again_after_a_crash(
    session, teacher, monkeypatch, tmp_path
):
    monkeypatch.setattr("audit.failpoint.FOLDER", str(tmp_path))
    (tmp_path / "learn.mid_write").write_text("raise")
    learn(
        session,
        teacher,
        JOB,
        reply(change("The user works at the harbour office.", "I work at the harbour office")),
    )
    assert not Fact.objects.exists()

    again()

    assert (len(teacher.chats), Fact.objects.count()) == (1, 1)


@pytest.mark.requirement("OC-24")
def test_a_revision_takes_the_place_of_what_it_revises_whatever_its_kind(session, teacher):
    love = change("The user loves coffee.", "I love coffee", kind="preference")
    learn(session, teacher, "I love coffee.", reply(love))

    quit = change(
        "The user quit coffee in May 2026, having loved it before.",
        "I quit coffee",
        kind="diet",
        op="revise",
        targets=["f1"],
    )
    learn(session, teacher, "I quit coffee.", reply(quit))

    active = Fact.objects.active().get()
    assert active.statement.startswith("The user quit coffee")
    old = Fact.objects.past().get()
    assert (old.statement, old.superseded_by) == ("The user loves coffee.", str(active.pk))
    revert_changeset(changeset=Changeset.objects.latest("created_at"), actor="alice")
    assert Fact.objects.active().get().statement == "The user loves coffee."


def test_what_has_ended_is_history_and_not_current(session, teacher):
    learn(
        session,
        teacher,
        "I row in the bow seat.",
        reply(change("The user rows in the bow seat.", "I row in the bow seat")),
    )

    learn(
        session,
        teacher,
        "No more rowing for me.",
        reply(change("", "No more rowing for me", op="end", targets=["f1"])),
    )

    assert not Fact.objects.active().exists()
    assert Fact.objects.past().get().superseded_by == "ended"


def test_a_fact_said_again_is_bumped_and_adds_nothing(session, teacher):
    fact = change("The user works at the harbour office.", "I work at the harbour office")
    learn(session, teacher, JOB, reply(fact))
    learn(session, teacher, JOB, reply(fact))
    learn(session, teacher, JOB, reply({**fact, "op": "confirm", "targets": ["f1"]}))

    assert Fact.objects.count() == 1
    assert list(Candidate.objects.values_list("outcome", flat=True)) == [
        "written",
        "bumped",
        "bumped",
    ]


def test_one_person_keeps_one_entity_under_all_their_names(session, teacher):
    aunt = change(
        "The user's aunt lives in Graz.",
        "My aunt lives in Graz",
        about=person("", "the user's aunt"),
        kind="relationship",
    )
    learn(session, teacher, "My aunt lives in Graz.", reply(aunt))

    named = change(
        "Johanna, the user's aunt, is a vet.",
        "Johanna, my aunt, is a vet",
        about=person("Johanna", "the user's aunt", id="e1"),
        kind="work",
    )
    learn(session, teacher, "Johanna, my aunt, is a vet.", reply(named))

    johanna = Entity.objects.get()
    assert (johanna.name, johanna.names) == ("Johanna", ["the user's aunt"])
    assert set(Fact.objects.values_list("about", flat=True)) == {johanna.pk}
    revert_changeset(changeset=Changeset.objects.latest("created_at"), actor="alice")
    assert Entity.objects.get().name == "the user's aunt"
