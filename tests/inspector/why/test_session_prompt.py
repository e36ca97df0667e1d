import re

import pytest
from django.urls import reverse

from knowledge.models import ContextDocument
from providers.hashing import HashingEmbedder
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from tests.contracts.stores import fact, rule
from tests.factories import make_session
from tests.inspector.why.story import HOSTILE, QUESTION
from tests.recall.learned import keep, owner_of


def answer(client, session, **query):
    return client.get(reverse("console-session-prompt", args=[session.pk]), query)


def _said(message) -> str:
    """Return a message without what is new in every prompt: the tags and the time."""
    return re.sub(r"-[0-9a-f]{16}>|Time: \S+", "", str(message["content"]))


def test_it_is_the_prompt_that_the_agent_gets(desk, talk, receipt):
    shown = answer(desk, talk, q=QUESTION).context["preview"].prompt.messages

    real = assemble_context(session=talk, query=QUESTION).messages

    assert [one["role"] for one in shown] == [one["role"] for one in real]
    assert [_said(one) for one in shown[2:]] == [_said(one) for one in real[2:]]
    assert "my boss is terrible" in str(shown)


def test_looking_writes_no_receipt_and_no_use(desk, talk, receipt):
    page = answer(desk, talk, q=QUESTION)

    assert page.status_code == 200
    assert Receipt.objects.count() == 1
    assert not ContextDocument.objects.exclude(last_used_at=None).exists()


def test_the_blocks_make_up_the_prompt(desk, talk, receipt):
    answered = answer(desk, talk, q=QUESTION)
    made, bar = answered.context["preview"].prompt, answered.context["bar"]

    amounts = {one.name: one.amount for one in bar.segments}

    assert bar.whole == made.budget
    assert bar.used + amounts["Free"] == bar.whole
    assert abs(bar.used - made.tokens) <= made.tokens * 0.05
    assert {"Instructions", "Facts", "Rules", "Conversation"} <= set(amounts)
    assert "<rect" in answered.content.decode()


def test_the_core_lane_has_a_prompt_of_its_own(desk, talk):
    page = answer(desk, talk, lane="core").content.decode()

    assert "Compare the rents of three shops." in page
    assert QUESTION not in page


@pytest.mark.parametrize("lane", ["", "nonsense", "\0"])
def test_an_unknown_lane_is_the_edge_lane(desk, talk, lane):
    assert answer(desk, talk, lane=lane, q="\0").context["lane"] == "edge"


def test_a_prompt_that_has_no_room_is_explained(desk, porter, talk):
    porter.context_tokens, porter.behaviour = 1_000, "Be brief. " * 2_000
    porter.save()

    page = answer(desk, talk).content.decode()

    assert "No prompt can be built" in page
    assert "Raise max_tokens" in page


def test_a_remote_model_is_not_asked_and_the_page_says_so(desk, talk, receipt, monkeypatch):
    asked = []
    monkeypatch.setattr(HashingEmbedder, "name", "openai")
    monkeypatch.setattr(HashingEmbedder, "embed", lambda *given, **_: asked.extend(given))

    page = answer(desk, talk, q=QUESTION).content.decode()

    assert "found by words alone" in page
    assert "my boss is terrible" in page
    assert asked == []


@pytest.mark.parametrize("words", HOSTILE)
def test_stored_markup_is_shown_and_not_run(desk, porter, words):
    keep(owner_of(porter), fact(words, words), rule(words))
    session = make_session(porter)

    page = answer(desk, session, q=words).content.decode()

    for live in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:'):
        assert live not in page
