import json
import re
import statistics
import time
from datetime import UTC, datetime

import pytest

from accounts.models import Agent
from consolidation.intake.accept import accept_events
from memory.models import EmbeddingSpace
from memory.tokenizer import count_message
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.prompt.given import Artifact, Given
from recall.prompt.memory.message import TurnMemories, standing_block
from recall.prompt.sources.governance import Directives
from recall.prompt.sources.profile import load_profile
from tests.contracts.stores import arc, fact, rule
from tests.factories import WHEN, make_agent, make_ended_session, make_session, said
from tests.recall.learned import keep, owner_of
from tests.recall.pictures import S, W, connect, picture, sure

GIVEN = Given(
    directives=Directives("high", "warm", "a tactical day"),
    artifacts=[Artifact("Plan.md", "the plan of the bakery", "document")],
)


@pytest.fixture
def alice(porter):
    return owner_of(porter)


def prompt_for(agent, text="my boss called", **options):
    # As a request finds it: with what the agent is set to now.
    session = make_session(Agent.objects.select_related("organization").get(pk=agent.pk))
    accept_events(agent=agent, session=session, drafts=[said(text)])
    return assemble_context(session=session, now=WHEN, **options)


def memory_of(prompt) -> str:
    """Return what a prompt of porter's remembers: what stays, and what the question called up."""
    system = [str(one["content"]) for one in prompt.messages if one["role"] == "system"]
    assert system[0] == "Be brief."
    return "\n\n".join(system[1:])


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def below(text: str, heading: str) -> str:
    """Return what stands between a heading and the next envelope's end."""
    assert text.count(heading) == 1
    return text.split(heading)[1].split("</")[0]


def stores(items) -> list[str]:
    return [item["store"] for item in items]


@pytest.mark.requirement("TS-17")
@pytest.mark.requirement("TS-39")
@pytest.mark.requirement("TS-40")
def test_w_and_s_are_in_the_prompt_of_every_turn(porter, alice):
    picture(alice)

    for text in ("first", "second"):
        memory = memory_of(prompt_for(porter, text))
        assert lines(below(memory, "# Your Context")) == [{"narrative": W}]
        assert lines(below(memory, "Structured Data:")) == [S]


@pytest.mark.requirement("TS-18")
@pytest.mark.requirement("TS-41")
def test_what_was_learned_besides_is_in_the_prompt_and_that_of_active_connections(porter, alice):
    picture(alice)
    connect(alice, name="work")
    mail = connect(alice, "mail", is_active=False)

    by_default = memory_of(prompt_for(porter))
    named = memory_of(prompt_for(porter, given=Given(connections=[mail.pk])))

    assert lines(below(by_default, "Learned Info:")) == [
        {"learned": ["has a cat"]},
        {"tool": "jira", "connection": "work", "learned": {"default_project": "jira-PROJ"}},
    ]
    assert lines(below(named, "Learned Info:")) == [
        {"learned": ["has a cat"]},
        {"tool": "mail", "learned": {"default_project": "mail-PROJ"}},
    ]


@pytest.mark.requirement("TS-42")
def test_the_agents_name_and_constitution_are_its_identity(porter):
    assert "# Agent Identity" not in memory_of(prompt_for(porter))
    porter.name, porter.constitution = "Porter", "Never guess."
    porter.save()

    memory = memory_of(prompt_for(porter))

    assert lines(below(memory, "# Agent Identity")) == [
        {"name": "Porter"},
        {"constitution": "Never guess."},
    ]


@pytest.mark.requirement("TS-43")
@pytest.mark.requirement("TS-44")
def test_directives_and_the_index_of_artifacts_are_in_the_prompt_they_are_given_with(porter):
    memory = memory_of(prompt_for(porter, given=GIVEN))

    assert lines(below(memory, "# Temporal Governance Directives")) == [
        {"caution": "high", "tone": "warm", "framing": "a tactical day"}
    ]
    assert lines(below(memory, "Your Artifacts")) == [
        {"name": "Plan.md", "kind": "document", "description": "the plan of the bakery"}
    ]
    without = memory_of(prompt_for(porter))
    assert without == "Time: 2026-05-08T09:30Z"


@pytest.mark.requirement("TS-45")
@pytest.mark.requirement("TS-46")
def test_a_new_user_gets_a_valid_prompt_with_the_time_and_no_empty_block(porter, alice):
    picture(alice, w="  ", s={"Goals": {}}, learned=())

    for user in ("alice", "bob"):
        session = make_session(porter, user)
        accept_events(agent=porter, session=session, drafts=[said("hello")])
        zone = datetime(2026, 5, 8, 11, 30, tzinfo=UTC)
        prompt = assemble_context(session=session, now=zone)
        assert [message["content"] for message in prompt.messages] == [
            "Be brief.",
            "Time: 2026-05-08T11:30Z",
            "hello",
        ]


@pytest.mark.requirement("TS-39")
@pytest.mark.requirement("TS-44")
def test_all_parts_stand_in_their_order(porter, alice):
    porter.name = "Porter"
    porter.save()
    picture(alice)
    make_ended_session(porter, ["My boss keeps a parrot."])
    keep(alice, fact("my boss is terrible"), arc("Talked of the boss."), rule("Be short."))

    memory = memory_of(prompt_for(porter, given=GIVEN))

    headings = [
        "# Your Context",
        "Structured Data:",
        "Learned Info:",
        "# Agent Identity",
        "Your Artifacts",
        "# Temporal Governance Directives",
        "How this user has asked to be answered",
        "Time: ",
        "What is known of this user from earlier sessions",
        "Relevant Retrieved Facts",
    ]
    places = [memory.index(heading) for heading in headings]
    assert places == sorted(places)


@pytest.mark.requirement("TS-38")
def test_the_receipt_names_each_part_with_version_and_price_and_no_word(porter, alice):
    porter.name = "Porter"
    porter.save()
    narrative, scaffold, learned = picture(alice)
    jira = connect(alice)

    receipt = Receipt.objects.get(pk=prompt_for(porter, given=GIVEN).receipt)

    assert [(item["store"], item.get("id"), item.get("version")) for item in receipt.items] == [
        ("narrative", str(narrative.pk), 3),
        ("scaffold", str(scaffold.pk), 5),
        ("learned_info", str(learned.pk), 2),
        ("learned_info", str(jira.pk), 1),
        ("identity", None, None),
        ("artifacts", None, None),
        ("directives", None, None),
    ]
    assert all(item["tokens"] > 0 for item in receipt.items)
    kept = json.dumps([receipt.items, receipt.left_out])
    assert not re.search("bak|oven|cat|jira|Porter|Plan|tactical", kept, re.IGNORECASE)


@pytest.mark.requirement("TS-47")
def test_w_and_s_and_learned_info_need_no_embedder(porter, alice, settings):
    make_ended_session(porter, ["My boss keeps a parrot."])
    picture(alice)
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    EmbeddingSpace.objects.update(model="text-embedding-3-large")

    prompt = prompt_for(porter)

    assert prompt.degraded == "provider_misconfigured"
    assert lines(memory_of(prompt))[:3] == [{"narrative": W}, S, {"learned": ["has a cat"]}]


@pytest.mark.parametrize(
    ("changed", "seen"),
    [
        ({}, ["narrative", "scaffold", "learned_info"]),
        ({"tiers": "narrative"}, ["narrative"]),
        ({"tiers": "none"}, []),
        ({"keeps_profile": False}, []),
    ],
)
def test_an_agent_shows_the_tiers_it_is_set_to(porter, alice, changed, seen):
    picture(alice)
    Agent.objects.filter(pk=porter.pk).update(**changed)

    receipt = Receipt.objects.get(pk=prompt_for(porter).receipt)

    assert stores(receipt.items) == seen


def test_an_agent_that_retrieves_nothing_is_shown_no_passage(porter, alice):
    make_ended_session(porter, ["My boss keeps a parrot."])
    assert "parrot" in memory_of(prompt_for(porter))

    Agent.objects.filter(pk=porter.pk).update(retrieves=False)

    assert memory_of(prompt_for(porter)) == "Time: 2026-05-08T09:30Z"


def test_no_other_agent_and_no_other_user_gets_the_picture(porter, rival, alice):
    picture(alice)
    jira = connect(alice)
    others = [
        prompt_for(agent, given=Given(connections=[jira.pk]))
        for agent in (make_agent("other"), rival)
    ]
    session = make_session(porter, "bob")
    accept_events(agent=porter, session=session, drafts=[said("hello")])
    others.append(assemble_context(session=session, given=Given(connections=[jira.pk]), now=WHEN))

    for prompt in others:
        assert memory_of(prompt) == "Time: 2026-05-08T09:30Z"


@pytest.mark.parametrize("budget", [30, 60, 120, 300, 900, 3_000])
def test_the_picture_never_makes_a_prompt_exceed_its_budget(porter, alice, budget):
    picture(
        alice,
        w=W * 100,
        s={f"key {number}": "value " * 10 for number in range(200)},
        learned=tuple(f"learned {number}" for number in range(200)),
    )
    for number in range(20):
        connect(alice, f"tool{number}")
    given = Given(artifacts=[Artifact(f"file {number}") for number in range(200)])

    prompt = prompt_for(porter, max_tokens=budget, given=given)

    assert prompt.tokens <= budget
    told = [str(message["content"]) for message in prompt.messages]
    assert sum(count_message(text) for text in told) <= budget
    assert told[-1] == "my boss called"
    assert Receipt.objects.get(pk=prompt.receipt).left_out


def test_the_least_sure_leaves_go_first_and_the_receipt_counts_them(porter, alice):
    data = {f"k{number}": {"v": "word " * 20} for number in range(40)}
    picture(alice, w="", s=data, learned=())
    sure(alice, "/k0", 0.1)
    for number in range(20, 40):
        sure(alice, f"/k{number}/v", 0.9)

    prompt = prompt_for(porter, max_tokens=2_500)

    (shown,) = lines(below(memory_of(prompt), "Structured Data:"))
    assert 0 < len(shown) < 40
    assert "k0" not in shown
    kept = [int(key[1:]) for key in shown]
    assert kept == sorted(kept)
    assert all(value == {"v": "word " * 20} for value in shown.values())
    assert min(len([k for k in kept if k >= 20]), 20) == min(len(kept), 20)
    receipt = Receipt.objects.get(pk=prompt.receipt)
    assert receipt.left_out == [
        {
            "store": "scaffold",
            "tokens": 0,
            "id": receipt.items[0]["id"],
            "version": 5,
            "cut": 40 - len(shown),
        }
    ]


def test_the_api_takes_connections_directives_and_artifacts(api, porter, alice):
    picture(alice)
    mail = connect(alice, "mail", is_active=False)
    session = make_session(porter)
    body = {
        "active_connections": [str(mail.pk)],
        "directives": {"caution": "high"},
        "artifacts": [{"name": "Plan.md"}],
    }

    answer = api.post(f"/api/v1/sessions/{session.pk}/context", body, format="json")

    memory = answer.json()["messages"][1]["content"]
    assert lines(memory) == [
        {"narrative": W},
        S,
        {"learned": ["has a cat"]},
        {"tool": "mail", "learned": {"default_project": "mail-PROJ"}},
        {"name": "Plan.md"},
        {"caution": "high"},
    ]
    receipt = api.get(f"/api/v1/receipts/{answer.json()['receipt']}").json()
    assert stores(receipt["items"])[-2:] == ["artifacts", "directives"]


@pytest.mark.parametrize(
    "body",
    [
        {"active_connections": ["x"]},
        {"active_connections": ["01a1fc16-b108-7283-92fb-dd5eeee93618"] * 101},
        {"directives": {"caution": "x" * 101}},
        {"directives": {"tone": 7}},
        {"directives": []},
        {"artifacts": [{}]},
        {"artifacts": [{"name": "x" * 201}]},
        {"artifacts": [{"name": "x"}] * 201},
        {"artifacts": "x"},
    ],
)
def test_the_api_refuses_what_does_not_fit(api, porter, body):
    session = make_session(porter)

    answer = api.post(f"/api/v1/sessions/{session.pk}/context", body, format="json")

    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid"


@pytest.mark.requirement("TS-71")
def test_a_picture_at_its_full_size_is_assembled_within_50_ms(porter, alice):
    picture(
        alice,
        w="Alice bakes bread every day. " * 100,
        s={f"k{number}": {"v": "what is known"} for number in range(300)},
        learned=tuple(f"learned number {number}" for number in range(200)),
    )
    for number in range(300):
        sure(alice, f"/k{number}/v", number / 300)

    def assemble() -> float:
        began = time.perf_counter()
        found = TurnMemories(load_profile(alice))
        block = standing_block(found, Given(), agent=porter, room=100_000)
        took = time.perf_counter() - began
        assert len(block.kept) == 3
        return took

    assemble()
    assert statistics.median(assemble() for _ in range(11)) < 0.05
