from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.deletion.forget import forget_item
from knowledge.models import Fact
from providers.hashing import HashingEmbedder
from recall.answers.answer import recall
from recall.models import Receipt
from recall.search.fuse import FusedQuestion
from tests.consolidation.profile.observed import observed, synthesise
from tests.contracts.stores import fact
from tests.factories import make_ended_session, make_session
from tests.inspector.why.story import HOSTILE, make_receipt
from tests.recall.learned import keep, owner_of


def answer(client, receipt, **query):
    return client.get(reverse("console-receipt", args=[receipt.pk]), query)


def shown(client, receipt, **query) -> str:
    return answer(client, receipt, **query).content.decode()


def listed(client, **query) -> str:
    return client.get(reverse("console-receipts"), query).content.decode()


def receipt_of(owner, query="What does the cat eat?", **options) -> Receipt:
    asked = recall(owner=owner, asked=FusedQuestion(query, 10), **options)
    return Receipt.objects.get(pk=asked.receipt)


def forget(receipt, quote="my boss is terrible") -> Fact:
    gone = Fact.objects.get(evidence_quote=quote)
    forget_item(owner=receipt.owner, kind="fact", target=gone.pk, actor="alice")
    return gone


def kinds(answered) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in answered.context["changes"]:
        found.setdefault(one.kind, []).append(one.change.item.id)
    return found


def test_the_list_is_kept_by_agent_user_and_kind(desk, porter, rival):
    make_ended_session(porter, ["My cat eats trout."])
    make_ended_session(rival, ["My dog eats beef."], user="bob")
    receipt_of(owner_of(porter), "first question")
    receipt_of(owner_of(rival, "bob"), "second question")

    def found(**query) -> tuple[bool, bool]:
        page = listed(desk, **query)
        return "first question" in page, "second question" in page

    assert found() == (True, True)
    assert found(agent=str(porter.pk)) == (True, False)
    assert found(user="bob") == (False, True)
    assert found(kind="recall") == (True, True)
    assert found(kind="context") == (False, False)
    assert found(kind="nonsense", user="\0", agent="nonsense") == (True, True)
    assert "No receipt matches" in listed(desk, user="nobody")


def test_a_receipt_shows_the_question_and_each_item_with_its_words(desk, receipt):
    page = shown(desk, receipt)

    assert "my boss called" in page
    assert "my boss is terrible" in page
    assert "Talked of the boss." in page
    assert "Answer in one line." in page
    assert "My boss keeps a parrot." in page
    assert "Nothing was cut" in page


def test_a_passage_has_its_score_at_each_stage(desk, porter):
    make_ended_session(porter, ["My cat only eats trout."])
    receipt = receipt_of(owner_of(porter))

    (row,) = answer(desk, receipt).context["shown"].held
    page = shown(desk, receipt)

    signals = receipt.items[0]["signals"]
    stages = ["words", "meaning", "neighbours", "reply", "session", "summary", "learned", "time"]
    assert [*row.signals] == [signals[stage] for stage in stages]
    assert f"{receipt.items[0]['score']:.3f}" in page
    assert "neighbours × 0.2" in page


def test_what_was_cut_says_why(desk, porter):
    make_ended_session(porter, ["My cat only eats trout. " * 40])
    receipt = receipt_of(owner_of(porter), max_tokens=5)

    page = shown(desk, receipt)

    assert "no room in the budget" in page
    assert "Nothing: the memory had no answer." in page


def test_pieces_that_had_no_room_are_counted(desk, receipt):
    receipt.left_out = [{"store": "scaffold", "tokens": 0, "version": 2, "cut": 7}]
    receipt.save()

    assert "7 of its pieces had no room" in shown(desk, receipt)


def test_a_replay_of_an_unchanged_memory_is_the_same(desk, receipt):
    answered = answer(desk, receipt, replay="yes")

    assert "answers the same" in answered.content.decode()
    assert set(kinds(answered)) == {"kept"}


def test_a_forgotten_fact_is_gone(desk, receipt):
    gone = forget(receipt)

    answered = answer(desk, receipt, replay="yes")
    page = answered.content.decode()

    assert kinds(answered)["gone"] == [str(gone.pk)]
    assert "forgotten since" in page
    assert "my boss is terrible" not in page


def test_a_fact_that_was_replaced_is_gone_with_its_reason(desk, receipt):
    Fact.objects.filter(evidence_quote="my boss is terrible").update(superseded_by="eviction")

    assert "replaced since" in shown(desk, receipt, replay="yes")


@pytest.mark.parametrize(
    ("field", "state"), [("is_quarantined", "in quarantine"), ("user_visible", "set aside")]
)
def test_what_counts_no_more_says_why(desk, receipt, field, state):
    rows = Fact.objects.filter(evidence_quote="my boss is terrible")
    rows.update(**{field: field == "is_quarantined"})

    assert state in shown(desk, receipt)


def test_a_new_fact_is_added(desk, receipt):
    new = fact("my boss called again")
    keep(receipt.owner, new)

    answered = answer(desk, receipt, replay="yes")

    assert kinds(answered)["added"] == [str(new.key)]


def test_a_replay_writes_nothing(desk, receipt):
    before = Receipt.objects.values().get()

    shown(desk, receipt, replay="yes")

    assert Receipt.objects.values().get() == before


def test_a_recall_is_replayed_in_its_stores(desk, porter):
    make_ended_session(porter, ["My cat only eats trout."])
    receipt = receipt_of(owner_of(porter))
    make_ended_session(porter, ["What does the cat eat? The cat eats figs."])

    answered = answer(desk, receipt, replay="yes")

    assert set(kinds(answered)) == {"gone", "added"}
    assert "without a budget" in answered.content.decode()


def test_a_remote_model_is_not_asked_and_the_page_says_so(desk, receipt, monkeypatch):
    asked = []
    monkeypatch.setattr(HashingEmbedder, "name", "openai")
    monkeypatch.setattr(HashingEmbedder, "embed", lambda *given, **_: asked.extend(given))

    assert "Asked by words alone" in shown(desk, receipt, replay="yes")
    assert asked == []


def test_a_synthesis_has_no_question_to_ask_again(desk, receipt):
    Receipt.objects.update(kind="synthesis")

    assert "no question to ask again" in shown(desk, receipt, replay="yes")
    assert "<button>Replay" not in shown(desk, receipt)


def test_a_synthesis_shows_its_observations_and_what_they_contradicted(desk, porter):
    owner = owner_of(porter)
    observed(owner, "Lives in <b>Oslo</b>.")
    gone = observed(owner, "Keeps a goat.", type="learned_fact")
    synthesise(owner)
    gone.delete()
    made = Receipt.objects.get(kind="synthesis")
    made.left_out = [{"path": "/Home/City", "rule": "newer"}]
    made.save()

    page = shown(desk, made)

    assert "Lives in &lt;b&gt;Oslo&lt;/b&gt;." in page
    assert page.count("Its words are gone.") == 1
    assert "<b>Home, City</b>" in page
    assert "Passages" not in page
    assert "no room" not in page
    assert "(a synthesis)" in listed(desk, kind="synthesis")


def test_a_prompt_whose_session_is_gone_says_so(desk, receipt):
    Receipt.objects.update(session=None)

    assert "The session of this prompt is gone." in shown(desk, receipt, replay="yes")


def test_a_prompt_that_has_no_room_today_says_so(desk, receipt, porter):
    porter.context_tokens, porter.behaviour = 1_000, "Be brief. " * 2_000
    porter.save()

    assert "It cannot be asked today" in shown(desk, receipt, replay="yes")


@pytest.mark.parametrize("words", HOSTILE)
def test_stored_markup_is_shown_and_not_run(desk, porter, words):
    session = make_session(porter, external_id=words)
    keep(owner_of(porter), fact(words, words))
    receipt = make_receipt(porter, session)
    Receipt.objects.update(query=words, degraded=words[:60], searched_by=words[:40])

    for page in (shown(desk, receipt, replay="yes"), listed(desk)):
        for live in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:'):
            assert live not in page


def test_a_longer_receipt_asks_no_more_questions(desk, receipt):
    shown(desk, receipt)
    with CaptureQueriesContext(connection) as few:
        shown(desk, receipt)
    item = next(one for one in receipt.items if one.get("store") == "facts")
    more = [item | {"id": str(UUID(int=number))} for number in range(50)]
    Receipt.objects.update(items=[*receipt.items, *more])

    with CaptureQueriesContext(connection) as many:
        shown(desk, receipt)

    assert len(many) == len(few)


def test_a_longer_list_asks_no_more_questions(desk, receipt):
    listed(desk)
    with CaptureQueriesContext(connection) as few:
        listed(desk)
    rows = [
        Receipt(owner=receipt.owner, session=receipt.session, kind="recall", query=f"q{number}")
        for number in range(40)
    ]
    Receipt.objects.bulk_create(rows)

    with CaptureQueriesContext(connection) as many:
        page = listed(desk)

    assert len(many) == len(few)
    assert page.count('class="question"') == 25
    assert "Older →" in page


def test_a_session_lists_its_receipts(desk, talk, receipt):
    page = desk.get(reverse("console-session-receipts", args=[talk.pk])).content.decode()

    assert reverse("console-receipt", args=[receipt.pk]) in page
