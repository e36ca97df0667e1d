"""What paid calls cost, and what becomes of requests that nobody can pay for."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.credits import set_budget, today
from accounts.models import Balance, Budget
from audit.models import AuditEntry, CostEntry
from consolidation import sweep
from consolidation.jobs import queue
from consolidation.jobs.queue import Attempt, enqueue
from consolidation.models import Job
from memory.models import Chunk, EmbeddingSpace, Session
from tests.consolidation.paid import ANSWER, VECTORS, give, paid_models
from tests.factories import make_ended_session, make_session, run_jobs

COSTS, BUDGETS = "/api/v1/costs", "/api/v1/budgets"
BALANCE = "/api/v1/users/alice/balance"
TEXTS = ["I live in Lyon and I like trout.", "We planted tomatoes.", "The train was late."]
SWEEP = Attempt(0, "sweep", "periodic", "", 0, 0, 0)


@pytest.fixture
def endpoint(settings):
    with paid_models(settings) as server:
        yield server


@pytest.fixture
def ended(porter):
    """Return a session of alice that local models have ended, before anything was paid."""
    return make_ended_session(porter, TEXTS)


def by(operator_api, what: str) -> dict[str | None, dict[str, float]]:
    rows = operator_api.get(COSTS, {"by": what}).json()["results"]
    return {row["key"]: row for row in rows}


def recall(api, query: str = "what did we plant?") -> dict[str, object]:
    answer = api.post("/api/v1/recall", {"query": query, "user": "alice"}, format="json")
    assert answer.status_code == 200
    found: dict[str, object] = answer.json()
    return found


def say(api, session: Session, text: str) -> None:
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]
    url = f"/api/v1/sessions/{session.pk}/events"
    assert api.post(url, {"messages": messages}, format="json").status_code == 201


def end(api, session: Session) -> None:
    answer = api.post(f"/api/v1/sessions/{session.pk}/end", {}, format="json")
    assert answer.status_code in {200, 202}


def poor(entries=("refused",)) -> set[str]:
    return set(CostEntry.objects.filter(state__in=entries).values_list("purpose", flat=True))


@pytest.mark.requirement("TS-73")
@pytest.mark.requirement("TS-74")
def test_a_whole_session_stands_in_the_ledger_at_the_tables_prices(
    api, operator_api, porter, endpoint
):
    session = make_session(porter)
    for text in TEXTS:
        say(api, session, text)
    run_jobs()
    end(api, session)
    run_jobs()
    recall(api)

    entries = CostEntry.objects.all()
    chats = len(endpoint.chats)
    assert {entry.state for entry in entries} == {"settled"}
    assert {entry.user for entry in entries} == {session.owner.user_id}
    assert {entry.owner for entry in entries} == {session.owner_id}
    found = by(operator_api, "model")
    assert found["gpt-4.1-mini"]["micro_usd"] == float(ANSWER * chats)
    vectors = found["text-embedding-3-small"]
    assert vectors["calls"] == len(endpoint.asked)
    assert vectors["micro_usd"] == pytest.approx(float(VECTORS * len(endpoint.asked)))
    purposes = by(operator_api, "purpose")
    wanted = {"embed", "embed_query", "semantic_extraction", "session_summary", "arc"}
    assert wanted <= purposes.keys()
    assert purposes["embed_query"]["micro_usd"] == float(VECTORS)
    assert entries.filter(purpose="semantic_extraction").first().session == session.pk


@pytest.mark.requirement("TS-73")
def test_the_balance_falls_by_what_was_used(api, operator_api, ended, endpoint):
    Chunk.objects.update(embedding_state="pending")
    give("alice", 100_000)

    session = make_session(ended.owner.agent)
    say(api, session, TEXTS[0])
    run_jobs()
    end(api, session)
    run_jobs()

    spent = sum(CostEntry.objects.values_list("micro_usd", flat=True))
    assert spent > 0
    assert Balance.objects.get().micro_usd == 100_000 - spent
    assert operator_api.get(BALANCE).json()["micro_usd"] == float(100_000 - spent)


@pytest.mark.requirement("TS-74")
def test_without_balance_embedding_is_skipped_and_the_rest_works(
    api, ended, endpoint, operator_api
):
    give("alice", 0)
    paid_space()

    found = recall(api)
    assert found["degraded"] == "out_of_budget"
    assert "tomatoes" in str(found["results"])

    session = make_session(ended.owner.agent)
    say(api, session, "Remember that I moved to Nice.")
    url = f"/api/v1/sessions/{session.pk}/context"
    context = api.post(url, {"query": "what did we plant?"}, format="json")
    assert context.status_code == 200
    assert "tomatoes" in context.content.decode()
    run_jobs()
    end(api, session)
    run_jobs()

    session.refresh_from_db()
    assert Chunk.objects.filter(session=session).exists()
    assert "Nice" in str(recall(api, "who moved to Nice?")["results"])
    assert endpoint.asked == []
    assert endpoint.chats == []
    assert {"embed_query", "embed", "semantic_extraction"} <= poor()
    waiting = Job.objects.filter(state="due", last_error_code="out_of_budget")
    assert {"embed", "learn"} <= set(waiting.values_list("kind", flat=True))
    assert not Job.objects.filter(state="dead").exists()
    assert {job.attempts for job in waiting} == {0}


def paid_space() -> None:
    """Make the endpoint's space current, as after going over to it."""
    EmbeddingSpace.objects.update(state="retired")
    EmbeddingSpace.objects.create(
        model="text-embedding-3-small", version="1", dimension=64, state="current"
    )


def waits(kind: str) -> bool:
    return Job.objects.filter(kind=kind, state="due", last_error_code="out_of_budget").exists()


def test_work_goes_on_when_the_balance_grows(api, operator_api, porter, endpoint):
    session = make_session(porter)
    give("alice", 0)
    say(api, session, TEXTS[0])
    run_jobs()
    end(api, session)
    run_jobs()
    sweep.run(SWEEP)
    run_jobs()
    assert waits("embed")
    assert waits("learn")

    answer = operator_api.put(BALANCE, {"micro_usd": 10_000}, format="json")
    run_jobs()

    assert answer.json() == {"user": "alice", "micro_usd": 10_000.0}
    assert not waits("embed")
    assert not waits("learn")
    assert endpoint.asked != []
    assert not Chunk.objects.waiting_for_a_vector().exists()


def test_the_budget_of_tomorrow_resumes_what_waits(porter, endpoint):
    budget = set_budget(organization=porter.organization, micro_usd=Decimal(0), actor="test")
    make_ended_session(porter, TEXTS)
    assert waits("embed")
    Budget.objects.update(micro_usd=1_000, day=today() - timedelta(days=1), spent_micro_usd=1_000)

    Job.objects.filter(last_error_code="out_of_budget").update(not_before="2026-01-01T00:00Z")
    run_jobs()

    assert not waits("embed")
    assert not Chunk.objects.waiting_for_a_vector().exists()
    budget.refresh_from_db()
    assert 0 < budget.spent_micro_usd < 1_000


def test_other_work_of_the_same_worker_does_not_wait_for_one_who_cannot_pay(porter):
    unpaid = enqueue(kind="embed_learned", key="0", subject="embed:0")
    Job.objects.update(not_before=timezone.now() + timedelta(hours=5))
    other = enqueue(kind="embed", key="0", subject="embed:0")
    assert queue.take(9) == []

    Job.objects.filter(pk=unpaid).update(last_error_code="out_of_budget")

    assert queue.take(9) == [other]


def test_one_who_cannot_pay_keeps_nobody_waiting(porter, endpoint):
    poor_session = make_session(porter)
    give("alice", 0)
    rich = make_ended_session(porter, TEXTS, user="bob")
    make_ended_session(porter, TEXTS)

    waiting = Chunk.objects.waiting_for_a_vector()

    assert {chunk.owner_id for chunk in waiting} == {poor_session.owner_id}
    assert not waiting.filter(session=rich).exists()


def test_the_sweep_lets_work_go_on_after_a_limit_grew(porter, endpoint):
    make_session(porter)
    give("alice", 0)
    make_ended_session(porter, TEXTS)
    assert waits("embed")

    give("alice", 10_000)
    sweep.run(SWEEP)
    run_jobs()

    assert not waits("embed")


def test_local_models_send_no_statement_about_money(api, ended):
    give("alice", 0)

    with CaptureQueriesContext(connection) as sent:
        recall(api)

    assert not [one for one in sent if "accounts_b" in one["sql"] or "costentry" in one["sql"]]


def test_a_price_for_system_embeddings_holds_for_local_models(settings, porter):
    settings.SYSTEM_EMBEDDINGS = Decimal("0.001")
    make_session(porter)
    give("alice", 1_000)

    make_ended_session(porter, TEXTS)

    entries = CostEntry.objects.filter(purpose="embed")
    assert entries
    assert {entry.provider for entry in entries} == {"hashing"}
    assert all(entry.micro_usd == entry.embedding_tokens for entry in entries)
    assert Balance.objects.get().micro_usd == 1_000 - sum(one.micro_usd for one in entries)


def test_a_model_without_a_price_is_entered_and_flagged(settings, porter):
    settings.OPENAI_CHAT_MODEL = "unheard-of"
    settings.OPENAI_EMBEDDING_MODEL = "unheard-of"
    with paid_models(settings):
        make_ended_session(porter, TEXTS)

    entries = CostEntry.objects.all()
    assert entries
    assert all(entry.is_unpriced and not entry.micro_usd for entry in entries)


@pytest.mark.parametrize("what", ["agent", "user", "purpose", "day", "model"])
def test_costs_are_added_up_by(operator_api, porter, rival, endpoint, what):
    make_ended_session(porter, TEXTS)
    make_ended_session(rival, TEXTS)

    answer = operator_api.get(COSTS, {"by": what}).json()

    keys = {"agent": "porter", "user": "alice", "day": str(today())}
    mine = CostEntry.objects.filter(organization=porter.organization_id)
    assert answer["micro_usd"] == pytest.approx(
        float(sum(mine.values_list("micro_usd", flat=True)))
    )
    assert sum(row["calls"] for row in answer["results"]) == mine.count()
    if what in keys:
        assert [row["key"] for row in answer["results"]] == [keys[what]]


@pytest.mark.parametrize(
    "query",
    [
        {"by": "owner"},
        {"from": "yesterday"},
        {"from": "2026-05-02", "to": "2026-05-01"},
        {"from": "2020-01-01", "to": "2026-01-01"},
        {"to": "9999-99-99"},
    ],
)
def test_costs_refuse_what_they_cannot_add_up(operator_api, query):
    assert operator_api.get(COSTS, query).status_code == 422


def test_costs_of_the_first_days_there_are(operator_api):
    assert operator_api.get(COSTS, {"to": "0001-01-01"}).status_code in {200, 422}


def test_a_budget_is_set_listed_and_taken_away(operator_api, porter):
    make_session(porter)
    wanted = {"agent": "porter", "user": "alice", "micro_usd": 5_000}

    made = operator_api.put(BUDGETS, wanted, format="json").json()["budget"]
    listed = operator_api.get(BUDGETS).json()["results"]
    gone = operator_api.put(BUDGETS, {**wanted, "micro_usd": None}, format="json").json()

    assert made == {**wanted, "micro_usd": 5_000.0, "left_micro_usd": 5_000.0}
    assert listed == [made]
    assert gone == {"budget": None}
    assert AuditEntry.objects.filter(action="budget.set").count() == 2


def test_a_budget_of_a_stranger_is_not_found(operator_api, porter, rival):
    make_session(rival, "bob")

    for place in ({"agent": "rival"}, {"user": "bob"}):
        body = {**place, "micro_usd": 5}
        assert operator_api.put(BUDGETS, body, format="json").status_code == 404
    assert operator_api.get("/api/v1/users/bob/balance").status_code == 404


def test_a_balance_is_without_limit_until_it_is_set(operator_api, porter):
    make_session(porter)

    assert operator_api.get(BALANCE).json() == {"user": "alice", "micro_usd": None}
    operator_api.put(BALANCE, {"micro_usd": 7}, format="json")
    assert operator_api.get(BALANCE).json()["micro_usd"] == 7.0
    operator_api.put(BALANCE, {"micro_usd": None}, format="json")
    assert not Balance.objects.exists()


def test_only_an_operator_sees_costs_and_limits(api, porter):
    for url in (COSTS, BUDGETS, BALANCE):
        assert api.get(url).status_code == 403


def test_metrics_count_the_calls_of_today(client, porter, endpoint):
    make_ended_session(porter, TEXTS)

    text = client.get("/metrics").content.decode()

    labels = '{provider="openai",purpose="embed",state="settled"}'
    calls = CostEntry.objects.filter(purpose="embed").count()
    assert calls > 0
    assert f"recollect_paid_calls_total{labels} {float(calls)}" in text
    assert f"recollect_cost_micro_usd_total{labels} {calls * 0.02}" in text


def test_an_import_says_what_it_will_cost_and_does_no_more(porter, endpoint, tmp_path, capsys):
    file = tmp_path / "talk.json"
    file.write_text('[{"role": "user", "content": "I like trout."}]')

    call_command("import_conversation", file, agent="porter", user="alice", dry_run=True)

    said = capsys.readouterr().out
    assert "vectors: about" in said
    assert "learning: about" in said
    assert "US dollars" in said
    assert "would import 1 messages" in said
    assert not Session.objects.exists()
