import pytest

from accounts.guidance import set_inbox_guidance
from audit.models import AuditEntry
from extraction.contracts.inbox_scores import InboxScores
from providers.chat import Completion, Task
from providers.null import NullChat
from recall.inbox import InboxRanker, RankedMessage
from tests.conftest import client_of
from tests.factories import make_agent
from tests.recall.learned import owner_of
from tests.recall.pictures import picture

INVOICE = RankedMessage("a", "bob@example.org", "Invoice for flour", "Please pay by Friday.")
NEWS = RankedMessage("b", "news@example.org", "Weekly newsletter", "Ten recipes for you.")
OVEN = RankedMessage("c", "carol@example.org", "The oven stone has come", "You may fetch it.")
ITEMS = [NEWS, INVOICE, OVEN]
GUIDANCE = "Invoices matter to me. Ignore newsletters!"


@pytest.fixture
def alice(porter):
    owner = owner_of(porter)
    picture(owner)
    return owner


class Model:
    """Answers as it is told, and keeps what it was asked."""

    name = model = "told"

    def __init__(self, *scores) -> None:
        self.scores = scores
        self.tasks: list[Task] = []

    def complete(self, task, *, seconds=None):
        self.tasks.append(task)
        value = {
            "scores": [
                dict(zip(("ref", "score", "reason"), one, strict=True)) for one in self.scores
            ]
        }
        return Completion(InboxScores.model_validate(value), self.model, 0, 0)


def scores(owner, items=ITEMS, **options) -> dict[str, float]:
    found = InboxRanker().score_multiple(items, owner=owner, **options)
    return {one.id: one.score for one in found.scores}


@pytest.mark.requirement("TS-76")
def test_what_the_user_said_of_their_inbox_changes_the_scores(alice):
    before = scores(alice)
    set_inbox_guidance(owner=alice, text=GUIDANCE, actor="test")
    alice.refresh_from_db()

    after = scores(alice)

    assert after["a"] > before["a"]
    assert after["b"] < before["b"]
    assert after["b"] == min(after.values())
    assert AuditEntry.objects.filter(action="user.inbox_guidance").count() == 1


def test_goals_projects_and_people_known_speak_for_an_item(alice):
    known = RankedMessage("d", "Baker Alice <alice@example.org>", "hello")
    goal = RankedMessage("e", "", "A shop for your bakery")
    found = InboxRanker().score_multiple([NEWS, OVEN, known, goal], owner=alice).scores

    assert {one.id: one.score for one in found} == {"b": 0.2, "c": 0.4, "d": 0.4, "e": 0.4}
    assert [one.reason for one in found] == [
        "nothing known of the user speaks for it",
        "touches a project: oven, stone",
        "the sender is known: alic, baker",
        "touches a goal: bakeri",
    ]
    assert all(0 <= one.score <= 1 for one in found)


@pytest.mark.requirement("TS-76")
def test_one_call_of_the_model_scores_all_items_with_the_guidance(alice):
    set_inbox_guidance(owner=alice, text=GUIDANCE, actor="test")
    alice.refresh_from_db()
    model = Model(("item-1", 1, "an invoice"), ("item-0", 0.0, "news"), ("item-2", 0.5, "oven"))

    ranking = InboxRanker(model).score_multiple(ITEMS, owner=alice)

    assert [(one.id, one.score, one.reason) for one in ranking.scores] == [
        ("b", 0.0, "news"),
        ("a", 1.0, "an invoice"),
        ("c", 0.5, "oven"),
    ]
    assert (ranking.model, ranking.degraded) == ("told", "")
    (task,) = model.tasks
    assert GUIDANCE in task.known
    assert "open a bakery" in task.known
    assert GUIDANCE not in task.instructions
    assert len(task.lines) == 3


def test_items_the_model_forgot_or_made_up_are_scored_by_rules(alice):
    model = Model(("item-1", 1, "an invoice"), ("item-9", 1, "made up"))

    ranking = InboxRanker().score_multiple(ITEMS, owner=alice, model=model)

    assert [one.score for one in ranking.scores] == [0.2, 1.0, 0.4]
    assert ranking.degraded == "scores_missing"


def test_without_a_model_the_rules_answer_and_say_so(alice):
    ranking = InboxRanker(NullChat()).score_multiple(ITEMS, owner=alice)

    assert (ranking.model, ranking.degraded) == ("rules", "provider_refused")
    assert [one.id for one in ranking.scores] == ["b", "a", "c"]


def test_no_items_ask_nobody(alice):
    model = Model()

    assert InboxRanker(model).score_multiple([], owner=alice).scores == []
    assert model.tasks == []


def test_nothing_of_another_agents_picture_is_shown(alice):
    other = owner_of(make_agent("other"))
    model = Model()

    InboxRanker(model).score_multiple(ITEMS, owner=other)

    assert "bakery" not in model.tasks[0].known


def test_the_rules_bear_whatever_they_are_sent(alice):
    set_inbox_guidance(owner=alice, text="...\n\n!!", actor="test")
    alice.refresh_from_db()

    assert scores(alice, [RankedMessage("x"), RankedMessage("x", text="<b>" * 9_000)]) == {"x": 0.2}


@pytest.mark.requirement("TS-76")
def test_the_api_sets_the_guidance_and_scores_an_inbox(api, porter, alice):
    answer = api.patch("/api/v1/users/alice/profile", {"inbox_guidance": GUIDANCE}, format="json")
    assert answer.json()["inbox_guidance"] == GUIDANCE
    body = {
        "user": "alice",
        "items": [{"id": "a", "subject": "Invoice"}, {"id": "b", "text": "newsletters"}],
    }

    found = api.post("/api/v1/inbox/scores", body, format="json").json()

    assert [(one["id"], one["score"]) for one in found["scores"]] == [("a", 0.6), ("b", 0.1)]
    assert (found["model"], found["degraded"]) == ("rules", None)


@pytest.mark.parametrize(
    "body",
    [
        {"user": "alice", "items": []},
        {"user": "alice", "items": [{"id": "a"}] * 51},
        {"user": "alice", "items": [{"subject": "a"}]},
        {"items": [{"id": "a"}]},
    ],
)
def test_the_api_refuses_what_does_not_fit(api, body):
    assert api.post("/api/v1/inbox/scores", body, format="json").status_code == 422


def test_the_guidance_of_a_user_is_of_one_organization(api, rival_api, alice):
    api.patch("/api/v1/users/alice/profile", {"inbox_guidance": GUIDANCE}, format="json")
    fellow = client_of(make_agent("other"))
    fellow.post("/api/v1/sessions", {"user": "alice"}, format="json")

    def guidance(client):
        return client.get("/api/v1/users/alice/profile").json()["inbox_guidance"]

    assert guidance(fellow) == GUIDANCE
    rival_api.post("/api/v1/sessions", {"user": "alice"}, format="json")
    assert guidance(rival_api) == ""
