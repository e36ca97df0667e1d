"""What the pages show and do."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Agent, ApiKey, Balance, Budget, User
from audit.models import AuditEntry, CostEntry
from consolidation.models import Candidate, ContextEvent, DailyMeasure, Job
from consolidation.observations.record import observe
from consolidation.verdict import Action
from knowledge.models import ApprovalPolicy, Rule
from memory.models import EmbeddingSpace, Session
from tests.consolidation.candidates import fact, hold
from tests.factories import make_ended_session, make_session

HOSTILE = "<script>alert(1)</script>"


def shown(client, name: str, *ids, **query) -> str:
    answer = client.get(reverse(name, args=ids), query)
    assert answer.status_code == 200
    return answer.content.decode()


def hold_many(agent: Agent, count: int) -> list[Candidate]:
    session = make_session(agent)
    return hold(session, *(fact(str(n), "I sing", turn=n) for n in range(count)))


def make_rule(session: Session, text: str, **fields) -> Rule:
    known = {
        "owner": session.owner,
        "text": text,
        "confidence": "high",
        "source": "explicit_user",
        "write_timing": "immediate",
        "write_reason": "said so",
        "policy_version": "gate-1",
    }
    return Rule.objects.create(**known | fields)


def set_aside(agent: Agent) -> ContextEvent:
    event = observe(
        owner=make_session(agent).owner, event_type="fact", content="I sing.", source="interactive"
    )
    ContextEvent.objects.update(set_aside_at=timezone.now(), error_code="reply_malformed")
    return event


def test_health_comes_first(desk, porter, dead):
    make_ended_session(porter, ["one"])

    page = shown(desk, "console")

    assert page.index("Dead jobs") < page.index("Day by day")
    assert "The key, the model&#x27;s name or the rights are wrong." in page
    assert "No backup has been recorded" in page


def test_the_dashboard_asks_the_same_number_of_questions_of_more(desk, porter):
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
    owner = make_ended_session(porter, ["one", "two"]).owner
    hold(make_session(porter), fact("x", "I sing"), action=Action.DROP, state="dropped")
    make_ended_session(rival, ["three"])
    today = datetime.now(UTC).date()
    DailyMeasure.objects.create(owner=owner, day=today, name="utilisation", part=1, whole=4)
    CostEntry.objects.create(
        organization=porter.organization_id, agent=porter.pk, purpose="summary", provider="openai",
        model="m", price_version="1", micro_usd=2_500_000, state="settled", day=today,
    )  # fmt: skip

    page = staff.get(reverse("console"))
    charts = {one.key: one for one in page.context["charts"]}

    assert charts["events"].rows[-1][1] == ["2"]
    assert charts["sessions"].rows[-1][1] == ["2"]
    assert charts["cost"].rows[-1][1] == ["2.5"]
    assert charts["utilisation"].rows[-1][1] == ["0.25"]
    assert charts["junk"].rows[-1][1] == ["1", "0"]
    assert charts["corrections"].is_empty


def test_days_that_make_no_sense_are_the_last_thirty(desk, porter):
    for query in (
        {"from": "x"},
        {"from": "2026-05-02", "to": "2026-05-01"},
        {"from": "2001-01-01"},
    ):
        asked = desk.get(reverse("console"), query).context["asked"]

        assert len(asked.days) == 30


def test_one_agent_is_shown_alone(desk, porter):
    asked = desk.get(reverse("console"), {"agent": str(porter.pk)}).context["asked"]

    assert asked.agents == [porter.pk]


def test_a_dead_job_is_retried_and_the_act_is_recorded(desk, dead):
    desk.post(reverse("console-job-retry", args=[dead.pk]))

    dead.refresh_from_db()
    assert dead.state == "due"
    assert AuditEntry.objects.get(action="job.retry").actor == "operator"


def test_a_due_job_is_cancelled_and_not_twice(desk, dead):
    Job.objects.update(state="due")

    for _ in range(2):
        answer = desk.post(reverse("console-job-cancel", args=[dead.pk]), follow=True)

    dead.refresh_from_db()
    assert dead.state == "cancelled"
    assert b"notice bad" in answer.content


def test_jobs_are_kept_by_state_and_kind(desk, dead):
    Job.objects.create(kind="sweep", key="2", max_attempts=5)

    assert "sweep" not in shown(desk, "console-jobs", state="dead").split("<tbody>")[1]
    assert "No job is like that" in shown(desk, "console-jobs", kind="learn")


def test_an_observation_is_put_back(desk, porter):
    event = set_aside(porter)

    assert "reply_malformed" in shown(desk, "console")
    desk.post(reverse("console-event-put-back", args=[event.pk]))

    event.refresh_from_db()
    assert event.set_aside_at is None
    assert AuditEntry.objects.filter(action="observations.put_back").exists()


def test_another_organizations_rows_are_not_there(staff, porter, rival):
    event, user = set_aside(rival), User.objects.get(username="charlie")
    user.user_permissions.set(Permission.objects.all())
    key = ApiKey.objects.create(
        organization=rival.organization, agent=rival, prefix="x", digest=b"x", scopes=["agent"]
    )
    hold_many(rival, 1)
    make_rule(make_session(rival), "Sing.")

    gone = [
        staff.get(reverse("console-agent", args=[rival.pk])),
        staff.post(reverse("console-agent", args=[rival.pk]), {}),
        staff.post(reverse("console-agent-stop", args=[rival.pk])),
        staff.post(reverse("console-key-issue", args=[rival.pk])),
        staff.post(reverse("console-key-revoke", args=[rival.pk, key.pk])),
        staff.post(reverse("console-key-revoke", args=[porter.pk, key.pk])),
        staff.post(reverse("console-policy", args=[rival.pk]), {}),
        staff.post(reverse("console-event-put-back", args=[event.pk])),
        staff.post(reverse("console-budget"), {"agent": str(rival.pk), "dollars": "1"}),
        staff.post(reverse("console-balance"), {"user": "nobody", "dollars": "1"}),
    ]

    assert {one.status_code for one in gone} == {404}
    assert "rival" not in shown(staff, "console-agents")
    assert "No candidate" in shown(staff, "console-candidates")
    assert "No rule" in shown(staff, "console-rules")


def test_a_setting_is_changed_and_no_other(desk, porter):
    form = desk.get(reverse("console-agent", args=[porter.pk])).context["form"]
    given = {name: value for name, value in form.initial.items() if value not in (None, False)}

    desk.post(reverse("console-agent", args=[porter.pk]), given | {"window_events": 20})

    porter.refresh_from_db()
    assert porter.window_events == 20
    assert AuditEntry.objects.get(action="agent.configure").detail == {"fields": "window_events"}


@pytest.mark.parametrize(
    ("field", "value"),
    [("window_events", 0), ("compact_share", 2), ("soul", "x" * 32_001), ("language", "klingon")],
)
def test_a_wrong_value_is_told_beside_its_field(desk, porter, field, value):
    answer = desk.post(reverse("console-agent", args=[porter.pk]), {field: value})

    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    porter.refresh_from_db()
    assert porter.window_events == 50


def test_a_key_is_shown_once_and_revoked(desk, porter):
    page = desk.post(reverse("console-key-issue", args=[porter.pk]), {"name": "n", "days": 3})
    key = ApiKey.objects.get(agent=porter)

    assert f"rk_{key.prefix}_" in page.content.decode()
    assert f"rk_{key.prefix}_" not in shown(desk, "console-agent", porter.pk)
    desk.post(reverse("console-key-revoke", args=[porter.pk, key.pk]))
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_a_key_for_too_many_days_is_refused(desk, porter):
    answer = desk.post(reverse("console-key-issue", args=[porter.pk]), {"days": 9_999})

    assert answer.status_code == 422
    assert not ApiKey.objects.exists()


def test_an_agent_is_stopped_after_it_was_asked(desk, porter):
    session = make_session(porter)

    assert "1 open session " in shown(desk, "console-agent-stop", porter.pk)
    desk.post(reverse("console-agent-stop", args=[porter.pk]))

    session.refresh_from_db()
    assert session.end_reason == "agent_stop"


def test_budgets_and_balances_are_set(desk, porter, operator):
    alice = make_session(porter, user="alice").owner.user
    operator.organization = porter.organization
    operator.save()

    desk.post(reverse("console-budget"), {"agent": str(porter.pk), "dollars": "2.5"})
    desk.post(reverse("console-balance"), {"user": "alice", "dollars": "1"})
    desk.post(reverse("console-balance"), {"user": "alice", "dollars": "-1"})

    assert Budget.objects.get(agent=porter).micro_usd == Decimal(2_500_000)
    assert Balance.objects.get(user=alice).micro_usd == Decimal(1_000_000)
    assert "$2.50 left today" in shown(desk, "console-costs")
    desk.post(reverse("console-budget"), {"agent": str(porter.pk), "dollars": ""})
    assert not Budget.objects.exists()


def test_costs_are_added_up(desk, porter):
    CostEntry.objects.create(
        organization=porter.organization_id, agent=porter.pk, purpose="summary", provider="openai",
        model="m", price_version="1", micro_usd=20_000, state="settled",
        day=datetime.now(UTC).date(),
    )  # fmt: skip

    assert "$0.0200" in shown(desk, "console-costs")
    assert "porter" in shown(desk, "console-costs", by="agent")


def test_candidates_say_why_and_not_what(desk, porter):
    hold(make_session(porter), fact(HOSTILE, "a secret quote"), code="guard.not_at_once")

    page = shown(desk, "console-candidates", state="held", code="guard.not_at_once")

    assert "Not sure enough to be kept at once." in page
    assert "secret quote" not in page
    assert "No candidate" in shown(desk, "console-candidates", state="dropped")


def test_a_long_list_is_read_page_by_page(desk, porter):
    hold_many(porter, 30)

    first = desk.get(reverse("console-candidates"))
    rest = desk.get(reverse("console-candidates"), {"before": first.context["listed"].next})

    assert [len(one.context["candidates"]) for one in (first, rest)] == [25, 5]
    assert len(desk.get(reverse("console-candidates"), {"before": "x"}).context["candidates"]) == 25


def test_rules_are_shown_by_whether_they_count_and_the_look_is_noted_once(desk, porter):
    session = make_session(porter)
    make_rule(session, f"Sing {HOSTILE}")
    make_rule(session, "Hum.", superseded_by="eviction")

    page = shown(desk, "console-rules")
    archive = shown(desk, "console-rules", show="archived")

    assert HOSTILE not in page
    assert "Sing" in page
    assert "Hum." not in page
    assert "Hum." in archive
    assert AuditEntry.objects.filter(action="memory.view").count() == 1


def test_policies_are_set_for_an_agent(desk, porter):
    form = desk.get(reverse("console-policy", args=[porter.pk])).context["form"]

    desk.post(reverse("console-policy", args=[porter.pk]), form.initial | {"loss.mode": "approved"})

    assert ApprovalPolicy.objects.get(agent=porter, category="loss").mode == "approved"
    assert "loss: approved" in shown(desk, "console-policies")
    assert desk.post(reverse("console-policy", args=[porter.pk]), {}).status_code == 422


def test_the_sealed_page_shows_who_looked_and_nothing_sealed(desk):
    AuditEntry.objects.create(
        actor="bob", action="crisis.read", subject="a day", detail={"reason": "review"}
    )

    assert "review" in shown(desk, "console-sealed")


def test_spaces_are_compared_filled_and_told_when_they_are_gone(desk, porter):
    make_ended_session(porter, ["We planted tomatoes."])
    other = EmbeddingSpace.objects.create(model="hashing", version="hashing-1", dimension=64)

    assert ">1 text<" in shown(desk, "console-spaces")
    assert "found by their words" in shown(desk, "console-space-switch", other.pk)
    assert (
        b"Nobody has asked" in desk.post(reverse("console-space-compare", args=[other.pk])).content
    )
    desk.post(reverse("console-space-fill", args=[other.pk]))
    assert Job.objects.filter(kind="reembed").exists()


def test_without_a_current_space_there_is_nothing_to_compare(desk, porter):
    other = EmbeddingSpace.objects.create(model="hashing", version="1", dimension=64)

    answer = desk.post(reverse("console-space-compare", args=[other.pk]), follow=True)

    assert b"nothing to compare with" in answer.content
