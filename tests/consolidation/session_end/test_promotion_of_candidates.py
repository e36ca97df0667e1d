"""What was held is promoted at the session's end as far as it was borne out, and once."""

import json
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection
from django.db.models import F
from django.utils import timezone

from consolidation.intake.accept import accept_events, end_session
from consolidation.jobs import queue
from consolidation.models import Candidate, Job
from consolidation.verdict import Action
from knowledge.models import Arc, Changeset, Fact, Rule
from memory.models import SessionStep
from tests.consolidation.candidates import became, fact, hold, rule
from tests.factories import make_session, run_jobs, said

MARATHON = fact("Berlin marathon", "I ran the Berlin marathon in May.")
KNEE = fact("sore knee", "My sore knee keeps me up at night.", 2)
WORTHLESS = fact("worthless", "I'm worthless at my job.", 3)
TWICE = (MARATHON.quote, "After the Berlin marathon I slept for a day.")
BRIEF = rule("Keep your answers brief.", "Brief answers, please.", 1)
BRIEF_AGAIN = rule("Keep your answers brief.", "Again, brief answers!", 2)
NOTHING = {"writes": 0, "bumps": 0, "supersedes": 0, "waiting": 0, "skips": 0, "failures": 0}


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def talked(agent, *texts, **fields):
    session = make_session(agent, **fields)
    accept_events(agent=agent, session=session, drafts=[said(text) for text in texts])
    return session


def ended(session):
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    return session


def again(session, name="learn"):
    SessionStep.objects.filter(session=session, name=name).update(state="due")
    queue.enqueue(kind="finalise", key=str(session.pk))
    run_jobs()


def learned(session) -> dict:
    return SessionStep.objects.get(session=session, name="learn").details


def step(session) -> tuple[str, str]:
    found = SessionStep.objects.get(session=session, name="learn")
    return found.state, found.error_code


def arc_of_an_earlier_session(owner, summary):
    return Arc.objects.create(
        owner=owner,
        session=make_session(owner.agent, user="bob").pk,
        started_at=timezone.now(),
        ended_at=timezone.now(),
        turn_count=3,
        summary=summary,
        write_timing="session_end",
        write_reason="test",
        policy_version="arc-1",
    )


@contextmanager
def failing(part: str):
    """Have every statement that holds `part` fail, as a database in trouble has it."""

    def fail(execute, sql, params, many, context):
        if part in sql:
            raise OperationalError("the database is in trouble")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        yield


@pytest.mark.requirement("OC-29")
@pytest.mark.requirement("OC-31")
def test_what_two_turns_bear_out_is_written_once_and_the_rest_is_let_go(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON, KNEE)

    ended(session)

    written = Fact.objects.get()
    assert (written.object, written.write_timing) == ("Berlin marathon", "promotion")
    assert written.evidence_quote == MARATHON.quote
    assert became(rows) == [("promoted", "promotion.repetition"), ("skipped", "skip.unsupported")]
    assert learned(session)["semantic"] == NOTHING | {"writes": 1, "skips": 1}
    assert step(session) == ("done", "")
    assert Changeset.objects.get().origin == "session_end"


@pytest.mark.requirement("OC-29")
def test_one_turn_and_the_sessions_arc_are_enough(porter):
    session = talked(
        porter,
        MARATHON.quote,
        "My trainer was very proud of me afterwards.",
        "Next year it will be Vienna, I have signed up already.",
    )
    (row,) = hold(session, MARATHON)

    ended(session)

    assert "Berlin marathon" in Arc.objects.get().summary
    assert became([row]) == [("promoted", "promotion.transcript_and_arc")]


@pytest.mark.requirement("OC-29")
@pytest.mark.requirement("OC-30")
@pytest.mark.parametrize("action", [Action.SESSION_END, Action.REPETITION])
def test_one_turn_and_an_earlier_session_are_enough(porter, action):
    session = talked(porter, MARATHON.quote)
    arc_of_an_earlier_session(session.owner, "The user ran the Berlin marathon.")
    (row,) = hold(session, MARATHON, action=action)

    ended(session)

    assert became([row]) == [("promoted", "promotion.prior_session")]


@pytest.mark.requirement("OC-30")
@pytest.mark.parametrize("action", [Action.SESSION_END, Action.REPETITION])
def test_a_self_belief_is_not_promoted_by_the_sessions_own_arc(porter, action):
    session = talked(
        porter,
        "My boss shouted at me again this morning.",
        "I'm worthless at my job.",
        "I do not want to go there tomorrow.",
    )
    (row,) = hold(session, WORTHLESS, action=action)

    ended(session)
    again(session)

    assert "worthless at my job" in Arc.objects.get().summary
    assert became([row]) == [("skipped", "skip.unsupported")]
    assert not Fact.objects.exists()


@pytest.mark.requirement("OC-30")
def test_arcs_of_other_owners_and_hidden_ones_bear_nothing_out(porter, rival):
    session = talked(porter, MARATHON.quote)
    arc_of_an_earlier_session(make_session(porter, user="bob").owner, "The Berlin marathon.")
    hidden = arc_of_an_earlier_session(session.owner, "The Berlin marathon.")
    Arc.objects.filter(pk=hidden.pk).update(user_visible=False)
    (row,) = hold(session, MARATHON)

    ended(session)

    assert became([row]) == [("skipped", "skip.unsupported")]


@pytest.mark.requirement("OC-48")
@pytest.mark.parametrize("count", [1, 2])
def test_an_implied_preference_needs_two_turns(porter, count):
    said_so = [BRIEF, BRIEF_AGAIN][:count]
    session = talked(porter, *[one.evidence[0] for one in said_so])
    rows = hold(session, *said_so)

    ended(session)

    assert Rule.objects.filter(text=BRIEF.text, source="consolidation").count() == count - 1
    outcome = (
        ("promoted", "promotion.implicit_preference")
        if count == 2
        else ("skipped", "skip.unsupported")
    )
    assert became(rows) == [outcome] * count
    wanted = {"writes": 1} if count == 2 else {"skips": 1}
    assert learned(session)["procedural"] == NOTHING | wanted


def test_a_fact_that_only_says_what_a_new_rule_says_yields_to_it(porter):
    coping = fact("brief answers", "Brief answers calm me, again.", 1, category="coping_strategy")
    walk = fact("long walks", "Long walks calm me.", 2, category="coping_strategy")
    session = talked(
        porter, BRIEF.evidence[0], BRIEF_AGAIN.evidence[0], walk.quote, "More long walks!"
    )
    rows = hold(session, coping, walk, BRIEF, BRIEF_AGAIN)

    ended(session)

    assert became(rows)[:2] == [
        ("skipped", "skip.overlap_procedural"),
        ("promoted", "promotion.repetition"),
    ]
    assert (Fact.objects.get().object, Rule.objects.count()) == ("long walks", 1)


@pytest.mark.requirement("OC-32")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_request_to_keep_nothing_drops_all_that_is_held(porter, place):
    texts = [*TWICE]
    texts.insert(place, "Please do not save any of that.")
    session = talked(porter, *texts)
    rows = hold(session, MARATHON, BRIEF, BRIEF_AGAIN)

    ended(session)

    assert set(became(rows)) == {("skipped", "guard.session_memory_control")}
    assert not Fact.objects.exists()
    assert not Rule.objects.exists()
    assert learned(session)["semantic"] == NOTHING | {"skips": 1}
    assert learned(session)["procedural"] == NOTHING | {"skips": 2}


@pytest.mark.requirement("OC-32")
def test_not_remembering_is_no_request(porter):
    session = talked(porter, *TWICE, "I don't remember the details.")
    rows = hold(session, MARATHON)

    ended(session)

    assert became(rows) == [("promoted", "promotion.repetition")]


@pytest.mark.requirement("OC-32")
def test_what_the_assistant_says_is_no_request(porter):
    session = talked(porter, *TWICE)
    drafts = [said("Do not save that.", "assistant")]
    accept_events(agent=porter, session=session, drafts=drafts)
    rows = hold(session, MARATHON)

    ended(session)

    assert became(rows) == [("promoted", "promotion.repetition")]


@pytest.mark.requirement("OC-55")
def test_a_repeated_step_doubles_nothing(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON)
    ended(session)
    before = (became(rows), learned(session), Changeset.objects.count())

    again(session)

    assert (became(rows), learned(session), Changeset.objects.count()) == before
    assert Fact.objects.count() == 1


def test_what_is_known_already_is_bumped(porter):
    for _ in range(2):
        session = talked(porter, *TWICE)
        hold(session, MARATHON)
        ended(session)

    assert Fact.objects.count() == 1
    assert learned(session)["semantic"] == NOTHING | {"bumps": 1}


def test_a_rule_that_is_known_already_is_counted_as_skipped(porter):
    for _ in range(2):
        session = talked(porter, BRIEF.evidence[0], BRIEF_AGAIN.evidence[0])
        rows = hold(session, BRIEF, BRIEF_AGAIN)
        ended(session)

    assert Rule.objects.count() == 1
    assert became(rows) == [("skipped", "skip.known")] * 2


def test_what_is_to_be_forgotten_is_let_go(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON)
    Candidate.objects.update(payload={})

    ended(session)

    assert became(rows) == [("skipped", "guard.tombstone")]
    assert not Fact.objects.exists()


@pytest.mark.requirement("OC-88")
def test_without_the_earlier_arcs_it_goes_on_and_says_so(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON)

    with failing('ORDER BY "knowledge_arc"."ended_at" DESC'):
        ended(session)

    assert learned(session)["support_load_failed"] is True
    assert became(rows) == [("promoted", "promotion.repetition")]
    assert session.state == "closed"


@pytest.mark.requirement("OC-88")
@pytest.mark.parametrize(
    ("table", "failed", "kept"),
    [("knowledge_fact", "semantic", "procedural"), ("knowledge_rule", "procedural", "semantic")],
)
def test_a_lane_that_fails_is_counted_and_stops_neither_the_other_nor_the_end(
    porter, table, failed, kept
):
    session = talked(porter, *TWICE, BRIEF.evidence[0], BRIEF_AGAIN.evidence[0])
    rows = hold(session, MARATHON, KNEE, BRIEF, BRIEF_AGAIN)

    with failing(f'FROM "{table}"'):
        ended(session)

    assert session.state == "closed"
    assert learned(session)[failed] == NOTHING | {"failures": 2}
    assert learned(session)[kept]["writes"] == 1
    assert learned(session)[kept]["failures"] == 0
    assert step(session) == ("skipped", "OperationalError")
    assert (Fact.objects.count(), Rule.objects.count()) == (
        int(kept == "semantic"),
        int(kept == "procedural"),
    )
    lost = [found for row, found in zip(rows, became(rows), strict=True) if row.lane == failed]
    assert lost == [("failed", "error.OperationalError")] * 2


@pytest.mark.requirement("OC-88")
def test_what_failed_is_tried_again_when_the_step_is_repeated(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON, KNEE)
    with failing('FROM "knowledge_fact"'):
        ended(session)

    again(session)

    assert became(rows) == [("promoted", "promotion.repetition"), ("skipped", "skip.unsupported")]
    assert learned(session)["semantic"] == NOTHING | {"writes": 1, "skips": 1}
    assert step(session) == ("done", "")


@pytest.mark.requirement("OC-88")
@pytest.mark.parametrize("fault", ["500", "401", "refusal", "prose"])
def test_a_model_that_fails_writes_nothing_and_is_seen(porter, endpoint, fault):
    known = talked(porter, *TWICE)
    hold(known, MARATHON)
    ended(known)
    other = fact("Vienna marathon", "I will run the Vienna marathon in June.")
    session = talked(porter, other.quote, "The Vienna marathon frightens me.")
    rows = hold(session, other)
    endpoint.script = [json.dumps({"summary": "A talk."}), *[fault] * 9]

    ended(session)

    assert [one.object for one in Fact.objects.all()] == ["Berlin marathon"]
    assert learned(session)["semantic"]["failures"] == 1
    ((state, outcome),) = became(rows)
    assert (state, outcome.startswith("error.")) == ("failed", True)
    assert session.state == "closed"


def test_a_run_that_lost_its_lease_writes_and_settles_nothing(porter):
    session = talked(porter, *TWICE)
    rows = hold(session, MARATHON)

    def take_over(execute, sql, params, many, context):
        if 'FROM "knowledge_fact"' in sql:
            Job.objects.filter(kind="finalise").update(fence=F("fence") + 1)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(take_over):
        end_session(session=session, reason="explicit")
        run_jobs()

    assert became(rows) == [("held", "")]
    assert not Fact.objects.exists()
    assert step(session) == ("due", "")
