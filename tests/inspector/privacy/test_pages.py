"""What a person decides, on their pages."""

import io
import json
import zipfile

import pytest
from django.urls import reverse

from accounts.keys import issue_key
from accounts.models import Agent, Owner
from accounts.page_links import make_page_link
from audit.log import record
from audit.models import AuditEntry
from consolidation.deletion.erasure.certificate import is_genuine
from consolidation.deletion.erasure.request import preview
from consolidation.deletion.places.table import PLACES
from consolidation.models import Erasure
from consolidation.portable.export import NOT_EXPORTED, exported, name_of, sections
from consolidation.portable.readable import page_of
from inspector.http import ONLY_AGENT
from inspector.privacy.contents import GROUPS, WORDS
from inspector.privacy.overview import in_words, recalls
from knowledge.models import ApprovalPolicy, Fact, ProceduralProfile
from memory.models import Session
from recall.answers.across_agents import recall_across
from recall.search.fuse import FusedQuestion
from tests.consolidation.deletion.erasure.conftest import CANARY
from tests.factories import make_agent, make_ended_session, make_session, run_jobs

pytestmark = pytest.mark.django_db


def test_it_says_what_is_decided(phone, alice):
    shown = phone.get(f"/memory/{alice.pk}/privacy/").content.decode()

    assert "What may be remembered" in shown
    assert "is told not to speak of earlier conversations" in shown
    assert "it stays until you forget it" in shown
    for word in ("owner", "changeset", "embedding"):
        assert word not in shown.split("<main")[1].casefold()


def test_it_says_how_long_things_are_kept(phone, alice):
    agent = alice.agent
    agent.sensitive_days, agent.forget_days = 30, 90
    agent.save()

    shown = phone.get(f"/memory/{alice.pk}/privacy/").content.decode()

    assert "after 30 days" in shown
    assert "no use for 90 days" in shown


def test_nobody_else_s_pages_are_shown(phone, porter, rival):
    for other in (make_session(porter, "bob").owner, make_session(rival, "alice").owner):
        for page in ("", "reads", "erase"):
            assert phone.get(f"/memory/{other.pk}/privacy/{page}").status_code == 404
        for page in ("recall", "sharing", "consent", "export", "erase"):
            assert phone.post(f"/memory/{other.pk}/privacy/{page}").status_code == 404


def test_recall_is_switched_on_and_off(phone, alice):
    where = f"/memory/{alice.pk}/privacy/recall"

    on = phone.post(where, {"enabled": "yes"}, follow=True)
    assert ProceduralProfile.objects.get(owner=alice).proactive_recall_enabled
    assert b"may bring up past conversations now" in on.content
    phone.post(where, {"enabled": "no"})

    assert not ProceduralProfile.objects.get(owner=alice).proactive_recall_enabled


def test_a_choice_of_a_category_is_kept_and_the_others_stay(phone, alice):
    ApprovalPolicy.objects.filter(owner=alice).update(mode="above", least_confidence="medium")

    phone.post(f"/memory/{alice.pk}/privacy/consent", {"goal": "never", "preference": "rubbish"})

    modes = dict(ApprovalPolicy.objects.filter(owner=alice).values_list("category", "mode"))
    assert (modes["goal"], modes["loss"], modes["preference"]) == ("never", "above", "automatic")
    loss = ApprovalPolicy.objects.get(owner=alice, category="loss")
    assert loss.least_confidence == "medium"


def test_it_shows_which_assistants_know_the_person(phone, alice):
    make_session(make_agent("clerk", is_shared=False))

    shown = phone.get(f"/memory/{alice.pk}/privacy/").content.decode()

    assert "<b>clerk</b>: keeps what it remembers of you to itself" in shown
    assert "/admin/" not in shown


def test_what_an_assistant_remembers_is_kept_from_the_others_and_shared_again(
    phone, alice, porter, rival
):
    clerk = make_ended_session(make_agent("clerk"), ["the gate key hangs in the shed"]).owner
    where = f"/memory/{alice.pk}/privacy/sharing"

    def press(of: object, enabled: str = "no") -> str:
        return phone.post(where, {"of": of, "enabled": enabled}, follow=True).content.decode()

    def found() -> int:
        asked = FusedQuestion("where is the gate key", 5)
        answer = recall_across(caller=porter, target="clerk", asked=asked, user="alice")
        return len(answer.found.hits)

    assert found() == 1
    shown = press(clerk.pk)
    assert "From now on no other assistant may read what clerk remembers of you." in shown
    assert "<b>clerk</b>: keeps what it remembers of you to itself, because you said so" in shown
    assert "<b>porter</b>: other assistants of" in shown
    assert found() == 0
    assert "<b>clerk</b>: other assistants of" in press(clerk.pk, "yes")
    assert found() == 1
    looks = phone.get(f"/memory/{clerk.pk}/privacy/reads").content.decode()
    assert "<b>You</b> changed whether other assistants may read" in looks

    # Whose it is must be the person's own; what names nobody changes nothing.
    others = make_session(porter, "bob").owner, make_session(rival, "alice").owner
    for of in (*(one.pk for one in others), "x", "-1", "9" * 40, "\u0661", "<b>"):
        assert phone.post(where, {"of": of, "enabled": "no"}).status_code == 404
    assert phone.get(where).status_code == 405
    assert set(Owner.objects.values_list("is_shared", flat=True)) == {True}
    Agent.objects.filter(slug="clerk").update(is_shared=False)
    assert "whatever you choose" in press(clerk.pk)


def test_whoever_came_by_a_link_decides_about_that_agent_alone(client, alice):
    clerk = make_session(make_agent("clerk")).owner
    client.post(f"/enter/{make_page_link(person=alice.user, seconds=60, actor='key abc')}/")
    store = client.session
    store[ONLY_AGENT] = str(alice.agent_id)
    store.save()

    assert b"clerk" not in client.get(f"/memory/{alice.pk}/privacy/").content
    for of in (alice.pk, clerk.pk):
        client.post(f"/memory/{alice.pk}/privacy/sharing", {"of": of})

    kept = Owner.objects.filter(is_shared=False)
    assert list(kept) == [alice]


def test_it_shows_who_looked(phone, alice, porter):
    record(
        actor="agent clerk",
        action="memory.read_across",
        subject="porter",
        detail={"owner": alice.pk},
    )
    record(actor="operator", action="memory.view", subject=f"{alice.pk}:facts")
    record(actor="operator", action="memory.view", subject=f"{alice.pk + 1}:facts")
    record(actor="operator", action="job.retry", subject=str(alice.pk))
    make_page_link(person=alice.user, seconds=60, actor="key abc")

    shown = phone.get(f"/memory/{alice.pk}/privacy/reads").content.decode()

    assert shown.count("<time") == 3
    assert "read what another assistant remembers of you" in shown
    assert "made a link to these pages for you" in shown


def test_programs_are_told_of_by_name_with_one_query(
    phone, alice, porter, django_assert_num_queries
):
    home, theirs = porter.organization, {"agent": porter, "scopes": ("agent",)}
    made = [
        issue_key(organization=home, actor="test", **theirs).row,
        issue_key(organization=home, actor="test", scopes=("operator",), name="<i>backup").row,
        issue_key(organization=home, actor="test", scopes=("operator",)).row,
    ]
    for key in made:
        record(actor=f"key {key.prefix}", action="export", subject=str(alice.pk))
    record(actor="key 0000", action="export", subject=str(alice.pk))
    record(actor="agent clerk", action="memory.read_across", subject=str(alice.pk))

    shown = phone.get(f"/memory/{alice.pk}/privacy/reads").content.decode()

    assert "<b>The assistant porter</b>" in shown
    assert "<b>The assistant clerk</b>" in shown
    assert "<b>An operator&#x27;s program, &lt;i&gt;backup</b>" in shown
    assert "<b>An operator&#x27;s program</b>" in shown
    assert "<b>A program whose key 0000 is gone</b>" in shown
    assert not any(key.prefix in shown for key in made)
    entries = list(AuditEntry.objects.filter(subject=str(alice.pk)))
    with django_assert_num_queries(1):
        assert len(in_words(entries, alice)) == 5


def test_switching_recall_off_is_said_to_be_what_it_is(phone, alice):
    assert recalls(alice) is False

    for page in (f"/memory/{alice.pk}/privacy/", f"/memory/{alice.pk}/"):
        shown = phone.get(page).content.decode()
        assert "is still given to the assistant with each answer" in shown
    on = phone.post(f"/memory/{alice.pk}/privacy/recall", {"enabled": "yes"}, follow=True)
    off = phone.post(f"/memory/{alice.pk}/privacy/recall", {"enabled": "no"}, follow=True)

    assert b"no lock" not in on.content
    assert b"is told from now on not to bring up" in off.content


def test_staff_who_look_are_told_of(client, operator, alice):
    client.force_login(operator)

    shown = client.get(f"/memory/{alice.pk}/privacy/").content.decode()
    looked = client.get(f"/memory/{alice.pk}/privacy/reads").content.decode()

    assert "/admin/accounts/agent/" in shown
    assert "<b>operator</b>" in looked


@pytest.mark.parametrize(
    ("name", "what", "headers"),
    [
        ("console-session", "session", {}),
        ("console-rewind", "owner", {}),
        ("console-rules", "", {}),
        ("console-sessions", "", {}),
        ("sessions", "", {}),
        ("sessions", "", {"HX-Request": "true"}),
        ("session", "session", {}),
        ("session", "session", {"HX-Request": "true"}),
        ("session-chain", "session", {}),
    ],
)
def test_staff_who_look_at_any_page_are_told_of_once_an_hour(
    client, operator, alice, name, what, headers
):
    session = Session.objects.filter(owner=alice).earliest("opened_at")
    address = reverse(name, args={"session": [session.pk], "owner": [alice.pk], "": []}[what])
    client.force_login(operator)
    for _ in range(2):
        assert client.get(address, headers=headers).status_code == 200

    client.force_login(alice.user)
    client.get(address)

    shown = client.get(f"/memory/{alice.pk}/privacy/reads").content.decode()
    assert shown.count("<b>operator</b>") == 1
    assert shown.count("<time") == 1


def test_a_look_in_the_older_form_is_still_found(phone, alice):
    record(actor="operator", action="memory.view", subject=f"owner {alice.pk}")
    record(actor="operator", action="memory.view", subject=f"owner {alice.pk}0")

    assert phone.get(f"/memory/{alice.pk}/privacy/reads").content.count(b"<time") == 1


def test_what_an_erasure_reaches_is_told_in_plain_words(phone, alice):
    shown = phone.get(f"/memory/{alice.pk}/privacy/erase").content.decode()

    assert {store.label for store in PLACES} == set(WORDS)
    assert [store.label for store in PLACES if store.label in shown] == []
    assert set(WORDS.values()) == set(GROUPS)
    assert all(f"<td>{words}</td>" in shown for words in GROUPS)
    assert f"{sum(preview([alice]).values())} entries would go" in shown


def test_nobody_looked(phone, alice):
    assert b"Nobody has looked" in phone.get(f"/memory/{alice.pk}/privacy/reads").content


def test_looks_are_shown_by_the_page(phone, alice):
    for _ in range(30):
        record(actor="operator", action="memory.view", subject=str(alice.pk))

    assert b"1 of 2" in phone.get(f"/memory/{alice.pk}/privacy/reads").content
    last = phone.get(f"/memory/{alice.pk}/privacy/reads?page=2").content
    assert last.count(b"<time") == 5


def test_the_number_of_queries_does_not_grow(phone, alice, django_assert_max_num_queries):
    for number in range(5):
        make_session(make_agent(f"agent_{number}"))

    with django_assert_max_num_queries(12):
        phone.get(f"/memory/{alice.pk}/privacy/")


def test_the_export_is_a_page_and_a_file(phone, alice):
    Fact.objects.filter(owner=alice).update(object="<script>alert(1)</script>")

    answer = phone.post(f"/memory/{alice.pk}/privacy/export")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))

    page = archive.read("memory.html").decode()
    found = json.loads(archive.read("memory.json"))
    assert found["sections"]["facts"][0]["object"] == "<script>alert(1)</script>"
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert CANARY in page
    assert AuditEntry.objects.filter(action="export").exists()


def test_a_long_part_is_cut_on_the_page_alone(alice, monkeypatch):
    monkeypatch.setattr("consolidation.portable.readable.MOST_ROWS", 1)

    page = "".join(page_of([alice]))

    assert "memory.json has all of them" in page
    assert len(json.loads(b"".join(exported([alice])))["sections"]["events"]) > 1


def test_every_store_is_exported_or_says_why_not():
    exported_models = {store.model for _, store in sections()}
    left = {store.model for store in PLACES} - exported_models - NOT_EXPORTED

    assert {name_of(model) for model in left} == {"cost_entries"}
    names = [name for name, _ in sections()]
    assert len(names) == len(set(names))


def test_an_erasure_shows_first_what_would_go(phone, alice):
    shown = phone.get(f"/memory/{alice.pk}/privacy/erase").content.decode()

    assert "What was learned of you" in shown
    assert not Erasure.objects.exists()


def test_the_wrong_name_erases_nothing(phone, alice):
    answer = phone.post(f"/memory/{alice.pk}/privacy/erase", {"confirm": "bob"})

    assert answer.status_code == 422
    assert b"Nothing was erased" in answer.content
    assert not Erasure.objects.exists()


def test_the_account_goes_and_the_certificate_stays(phone, alice):
    begun = phone.post(
        f"/memory/{alice.pk}/privacy/erase", {"confirm": "alice", "scope": "everywhere"}
    )
    under_way = phone.get(begun.url)
    assert b"every 1s" in under_way.content
    assert phone.get(begun.url + "certificate").status_code == 404
    run_jobs()

    assert phone.get(f"/memory/{alice.pk}/privacy/").status_code == 302
    done = phone.get(begun.url)
    assert b"Download the certificate" in done.content
    assert b"every 1s" not in done.content
    assert is_genuine(phone.get(begun.url + "certificate").json())
    part = phone.get(begun.url, headers={"HX-Request": "true"}).content
    assert b"<html" not in part
    assert b'id="progress"' in part


def test_only_what_one_assistant_remembers_goes(phone, alice):
    clerk = make_session(make_agent("clerk")).owner

    phone.post(f"/memory/{alice.pk}/privacy/erase", {"confirm": "alice"})
    run_jobs()

    assert phone.get(f"/memory/{alice.pk}/privacy/").status_code == 404
    assert phone.get(f"/memory/{clerk.pk}/privacy/").status_code == 200


def test_what_names_no_erasure_is_not_found(client):
    for token in ("x", "a:b:c", "%00"):
        assert client.get(f"/erasures/{token}/").status_code == 404
