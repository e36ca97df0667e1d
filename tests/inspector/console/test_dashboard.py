"""Health first, then charts."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.credits import set_budget
from accounts.models import User
from audit.models import AuditEntry
from consolidation.models import DailyMeasure, Job
from consolidation.verdict import Action
from inspector.console import health
from memory.models import Chunk
from recall.answers.answer import recall
from recall.models import Receipt
from recall.search.fuse import FusedQuestion
from tests.consolidation.candidates import fact, hold
from tests.factories import make_ended_session, make_session
from tests.inspector.console.rows import HOSTILE, hold_many, pay, set_aside, shown


def charts(client, **query):
    return {one.key: one for one in client.get(reverse("console"), query).context["charts"]}


def test_health_comes_first(desk, porter, dead):
    make_ended_session(porter, ["one"])

    page = shown(desk, "console")

    assert page.index("Dead jobs") < page.index("Day by day")
    assert "The key, the model&#x27;s name or the rights are wrong." in page


def test_it_draws_how_long_recalls_took(desk, porter):
    session = make_ended_session(porter, ["The cat eats trout."])
    for _ in range(3):
        recall(owner=session.owner, asked=FusedQuestion("cat", 5))
    assert all(Receipt.objects.values_list("took_ms", flat=True))
    for took_ms, receipt in zip((10, 20, 400), Receipt.objects.order_by("pk"), strict=True):
        Receipt.objects.filter(pk=receipt.pk).update(took_ms=took_ms)

    rows = charts(desk)["latency"].rows

    assert rows[-1][1] == ["20", "362"]
    assert {cell for row in rows[:-1] for cell in row[1]} == {"-"}


def test_it_says_that_no_backup_is_recorded(desk, db):
    page = shown(desk, "console")

    assert "No backup has been recorded" in page
    assert "manage.py backup FILE" in page


def test_it_says_how_long_the_oldest_job_has_waited(desk, db):
    job = Job.objects.create(kind="embed", key="1", max_attempts=5)
    Job.objects.filter(pk=job.pk).update(not_before=datetime(2026, 1, 1, tzinfo=UTC))

    answer = desk.get(reverse("console"))

    assert answer.context["queue"].is_late
    assert f"embed {job.pk}" in answer.content.decode()


def test_no_worker_was_heard_yet(desk, db):
    assert "not heard yet" in shown(desk, "console")


def test_a_job_that_a_provider_holds_up_is_told(desk, db):
    Job.objects.create(
        kind="embed", key="1", max_attempts=5, last_error_code="provider_unavailable"
    )

    assert "in trouble" in shown(desk, "console")


def test_what_waits_for_a_vector_is_counted(staff, porter, rival):
    make_ended_session(porter, ["one"])
    make_ended_session(rival, ["two"])
    Chunk.objects.update(embedding_state="pending")

    assert staff.get(reverse("console")).context["backlog"]["passages of sessions"] == 1


def test_what_waits_is_counted_up_to_a_limit(staff, porter, monkeypatch):
    monkeypatch.setattr(health, "MOST_WAITING", 2)
    make_ended_session(porter, ["one", "two", "three"])
    Chunk.objects.update(embedding_state="pending")

    assert "<b>2+</b><small>passages of sessions</small>" in shown(staff, "console")


def test_a_dead_job_is_not_shown_to_staff_who_do_not_run_the_installation(staff, dead):
    page = shown(staff, "console")

    assert "Retry" not in page
    assert 'href="/console/jobs/' not in page


def test_it_asks_the_same_number_of_questions_of_more(desk, porter):
    hold_many(porter, 1)
    with CaptureQueriesContext(connection) as few:
        shown(desk, "console")
    for n in range(5):
        hold(make_session(porter, user=f"user {n}"), fact("more", "I sing"))
        Job.objects.create(kind="embed", key=f"{n}", state="dead", max_attempts=5)

    with CaptureQueriesContext(connection) as many:
        shown(desk, "console")

    assert len(many) == len(few)


def test_the_charts_count_what_is_of_the_days_and_the_agent(staff, porter, rival):
    make_ended_session(porter, ["one", "two"])
    hold(make_session(porter), fact("x", "I sing"), action=Action.DROP, state="dropped")
    make_ended_session(rival, ["three"])
    pay(porter, "summary", 2_500_000)
    pay(rival, "summary", 9_000_000)

    found = charts(staff)

    assert found["events"].rows[-1][1] == ["2"]
    assert found["sessions"].rows[-1][1] == ["2"]
    assert found["cost"].rows[-1][1] == ["2.5"]
    assert found["verdicts"].rows[-1][1] == ["0", "0", "0", "1"]
    assert found["junk"].rows[-1][1] == ["1", "0"]


MEASURES = [
    pytest.param(name, marks=pytest.mark.requirement(row))
    for name, row in zip(
        ("utilisation", "observations", "scaffold_keys", "corrections", "repeated_questions"),
        ("TS-88", "TS-89", "TS-90", "TS-91", "TS-92"),
        strict=True,
    )
]


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_is_a_chart_with_its_table(staff, porter, rival, name):
    today = datetime.now(UTC).date()
    owners = [make_session(agent).owner for agent in (porter, rival)]
    for owner, part in zip(owners, (1, 3), strict=True):
        DailyMeasure.objects.create(owner=owner, day=today, name=name, part=part, whole=4)

    page = shown(staff, "console")

    drawn = page.split(f'id="chart-{name}"')[1].split("</figure>")[0]
    assert "<circle" in drawn
    assert '<td class="number">0.25</td>' in drawn
    assert "</desc>" in drawn
    assert charts(staff)[name].rows[0][1] == ["-"]


def test_a_measure_that_was_not_taken_says_so(desk, db):
    drawn = shown(desk, "console").split('id="chart-utilisation"')[1].split("</figure>")[0]

    assert "Nothing in these days." in drawn
    assert "<svg" not in drawn


@pytest.mark.parametrize(
    ("given", "days"), [("7", 7), ("30", 30), ("90", 90), ("x", 30), ("-1", 30), ("9999", 30)]
)
def test_the_days_are_one_of_three_ranges(desk, db, given, days):
    assert len(desk.get(reverse("console"), {"days": given}).context["asked"].days) == days


def test_one_agent_is_shown_alone(desk, porter, rival):
    make_ended_session(porter, ["one"])
    make_ended_session(rival, ["one", "two"])

    assert charts(desk)["events"].rows[-1][1] == ["3"]
    assert charts(desk, agent=str(porter.pk))["events"].rows[-1][1] == ["1"]


def test_staff_cannot_choose_another_organizations_agent(staff, porter, rival):
    asked = staff.get(reverse("console"), {"agent": str(rival.pk)}).context["asked"]

    assert asked.agents == [porter.pk]


def test_budgets_show_what_is_left_today(staff, porter, rival):
    pay(porter, "summary", 500_000)
    set_budget(
        organization=porter.organization, agent=porter, micro_usd=Decimal(2_000_000), actor="bob"
    )
    set_budget(organization=rival.organization, micro_usd=Decimal(7_000_000), actor="bob")

    page = shown(staff, "console")

    assert "<b>$1.50</b> <small>of $2.00</small>" in page
    assert "$7.00" not in page


def test_the_reasons_of_verdicts_are_told_in_words(desk, porter):
    hold(make_session(porter), fact("x", "I sing"), code="guard.not_at_once")

    page = shown(desk, "console")

    assert "Not sure enough to be kept at once." in page
    assert "I sing" not in page


def test_stored_text_does_not_run(desk, porter):
    porter.slug = HOSTILE[:40]
    porter.save()
    make_session(porter, user=HOSTILE)
    set_aside(porter)

    assert "<script>alert" not in shown(desk, "console")


def test_an_observation_is_put_back(desk, porter):
    event = set_aside(porter)

    assert "reply_malformed" in shown(desk, "console")
    desk.post(reverse("console-event-put-back", args=[event.pk]))
    again = desk.post(reverse("console-event-put-back", args=[event.pk]), follow=True)

    event.refresh_from_db()
    assert event.set_aside_at is None
    assert AuditEntry.objects.filter(action="observations.put_back", actor="operator").count() == 1
    assert b"not set aside any more" in again.content


def test_another_organizations_rows_are_not_there(staff, porter, rival):
    event = set_aside(rival)
    User.objects.get(username="charlie").user_permissions.set(Permission.objects.all())
    hold_many(rival, 1)

    answer = staff.post(reverse("console-event-put-back", args=[event.pk]))

    page = shown(staff, "console")
    assert answer.status_code == 404
    for name in ("rival", "reply_malformed", "Why candidates were"):
        assert name not in page
