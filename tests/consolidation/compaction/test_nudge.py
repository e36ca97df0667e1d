"""Taking an answer in nudges the compaction; only its job measures the lane."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from consolidation.compaction.request import RequestOutcome
from consolidation.intake.accept import accept_events
from consolidation.models import CompactionRun, Job
from knowledge.workspace.folder import folder_of
from tests.consolidation.compaction.talks import compact, run_of, shown, talk
from tests.factories import make_session, run_jobs, said


def statements_of_an_answer(cook, session):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        accept_events(agent=cook, session=session, drafts=[said("Noted.", "assistant")])
    return [query["sql"] for query in captured]


def test_an_answer_to_a_long_lane_costs_no_more_than_one_to_a_short_lane(cook):
    short, long = make_session(cook), make_session(cook)
    talk(cook, short, 1)
    talk(cook, long, 30)

    assert len(statements_of_an_answer(cook, long)) == len(statements_of_an_answer(cook, short))


def test_an_answer_reads_neither_the_lane_nor_a_file(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    identity = folder_of(session.owner) / "IDENTITY.md"
    identity.parent.mkdir(parents=True, exist_ok=True)
    identity.mkdir()

    statements = statements_of_an_answer(cook, session)

    assert not [one for one in statements if 'FROM "memory_lanewindow"' in one]
    assert not [one for one in statements if 'FROM "memory_event"' in one]


def test_a_nudge_leaves_a_lane_that_is_not_due_as_it_is(cook):
    session = make_session(cook)
    talk(cook, session, 2)

    run_jobs()

    assert Job.objects.get(kind="compact").state == "done"
    assert not CompactionRun.objects.exists()
    assert shown(session) == [1, 2, 3, 4]


def test_an_archiving_lane_is_measured_and_never_folded_by_itself(cook):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)

    run_jobs()

    assert Job.objects.get(kind="compact").state == "done"
    assert not CompactionRun.objects.exclude(folded=[]).exists()


def test_who_asks_is_not_refused_for_a_nudge_that_will_fold_nothing(cook):
    session = make_session(cook)
    talk(cook, session, 4)

    assert compact(session) == RequestOutcome.SCHEDULED
    assert run_of(session).trigger == "api"


def test_who_asks_hears_of_a_nudge_that_will_fold(cook):
    session = make_session(cook)
    talk(cook, session, 8)

    assert compact(session) == RequestOutcome.ALREADY_RUNNING
    assert run_of(session).trigger == "automatic"


def test_a_command_takes_the_place_of_a_nudge_and_is_asked_for_once(cook):
    session = make_session(cook)
    talk(cook, session, 4)
    for _ in range(2):
        accept_events(agent=cook, session=session, drafts=[said("/compact")])

    waiting = Job.objects.get(kind="compact", state="due")
    assert waiting.key == f"{session.pk}:edge:message"
