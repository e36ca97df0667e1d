"""What the pages of the history say and do."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import AuditEntry
from knowledge.changes.apply import delete_item, edit_item
from knowledge.models import ChangeItem, Changeset, Fact
from tests.inspector.console.rows import shown
from tests.inspector.history.pasts import HOSTILE, make_past
from tests.knowledge.learned import added, changed, fact_fields, owner_of


def runs(client, **query) -> list:
    answer = client.get(reverse("console-history"), query)
    return [one.made for one in answer.context["runs"]]


def questions(client, *names) -> int:
    with CaptureQueriesContext(connection) as queries:
        for name, *ids in names:
            assert client.get(reverse(name, args=ids)).status_code == 200
    return len(queries)


def test_the_list_shows_runs_without_words_and_is_narrowed_down(desk, past, rival):
    other = make_past(rival, "charlie")

    page = shown(desk, "console-history")

    assert "2 facts, 1 session, 1 rule" in page
    assert "1 wait" in page
    assert "Lyon" not in page
    assert runs(desk)[0] == other.edited
    assert runs(desk, origin="session_end") == [other.moved, past.moved]
    assert runs(desk, agent=str(rival.pk), state="waiting") == [other.waiting]
    assert set(runs(desk, user="alice")) == set(Changeset.objects.filter(owner=past.owner))
    assert runs(desk, state="reverted") == []
    assert len(runs(desk, state="standing")) == 12
    assert runs(desk, session=str(past.owner.pk)) == runs(desk)
    assert runs(desk, user="\0no one") == []
    assert "No run is like that." in shown(desk, "console-history", user="nobody")


def test_a_long_list_is_read_page_by_page(desk, porter):
    owner = owner_of(porter)
    made = [changed(owner, added("rule")) for _ in range(30)]

    first = desk.get(reverse("console-history"))
    rest = desk.get(reverse("console-history"), {"before": first.context["listed"].next})

    assert [one.made for one in first.context["runs"]] == made[:4:-1]
    assert [one.made for one in rest.context["runs"]] == made[4::-1]


def test_a_run_shows_each_field_before_and_after_with_its_reason(desk, past):
    page = shown(desk, "console-change", past.edited.pk)

    assert "Corrected" in page
    assert "<del>green tea</del>" in page
    assert "<ins>black tea</ins>" in page
    assert "A person changed it by hand." in page
    moved = shown(desk, "console-change", past.moved.pk)
    assert "Experienced Lyon" in moved
    assert "<ins>Experienced Paris</ins>" in moved
    assert "the offline one goes by fixed rules" in moved
    assert "I moved to Paris." in moved
    assert (
        AuditEntry.objects.filter(action="memory.view", subject__endswith=":changes").count() == 1
    )


def test_what_waits_is_approved_once_and_rejected_once(desk, past, porter):
    names = [
        reverse(f"console-change-{act}", args=[past.waiting.pk, 0]) for act in ("approve", "reject")
    ]

    done = desk.post(names[0], follow=True).content.decode()
    again = desk.post(names[1], follow=True).content.decode()

    assert "Approved: it is remembered now." in done
    assert "It waits no more: somebody has decided it already." in again
    assert Fact.objects.active().filter(category="goal").count() == 1
    assert AuditEntry.objects.get(action="change.approve").actor == "operator"
    goal = added(fields=fact_fields("to sing", "I want to sing.", category="goal"))
    second = changed(past.owner, goal)
    refused = desk.post(reverse("console-change-reject", args=[second.pk, 0]), follow=True)
    assert "Rejected: nothing was changed." in refused.content.decode()
    assert desk.post(reverse("console-change-reject", args=[second.pk, 9])).status_code == 404


def test_a_run_is_taken_back_once_it_was_said_what_comes_back(desk, past):
    where = reverse("console-change-revert", args=[past.moved.pk])

    asked = desk.get(where).content.decode()
    untouched = Fact.objects.active().filter(object="Paris").exists()
    done = desk.post(where, follow=True).content.decode()

    assert "Will be gone" in asked
    assert "Will count again" in asked
    assert untouched
    assert "The run is taken back" in done
    assert list(
        Fact.objects.filter(object__in=("Lyon", "Paris")).values_list("object", flat=True)
    ) == ["Lyon"]
    assert "Will be as it was" in shown(desk, "console-change-revert", past.edited.pk)
    assert "It was taken back on" in desk.get(where).content.decode()
    assert runs(desk, state="reverted") == [past.moved]
    reversal = runs(desk, origin="revert")[0]
    assert "This run stays." in shown(desk, "console-change-revert", reversal.pk)
    assert (
        "neither is undone"
        in desk.post(
            reverse("console-change-revert", args=[reversal.pk]), follow=True
        ).content.decode()
    )


def test_what_was_changed_since_is_told_and_nothing_is_taken_back(desk, past):
    tea = Fact.objects.get(object="black tea")
    edit_item(owner=past.owner, kind="fact", target=tea.pk, fields={"object": "ale"}, actor="alice")

    asked = shown(desk, "console-change-revert", past.edited.pk)
    page = desk.post(reverse("console-change-revert", args=[past.edited.pk]), follow=True)

    later = Changeset.objects.latest("created_at")
    assert reverse("console-change", args=[later.pk]) in asked
    assert "has changed again since" in page.content.decode()
    assert Fact.objects.filter(object="ale").exists()


def test_an_approval_of_what_is_gone_is_told(desk, past):
    """A change that waits to retire a fact which is deleted meanwhile."""
    lyon = Fact.objects.get(object="Lyon")
    made = Changeset.objects.create(owner=past.owner, origin="turn", run_key="x")
    ChangeItem.objects.create(
        changeset=made, place=0, kind="fact", act="retire", target=lyon.pk, state="waiting",
        after={"superseded_by": "mistake"}, code="llm_policy", policy_version="1",
    )  # fmt: skip

    page = desk.post(reverse("console-change-approve", args=[made.pk, 0]), follow=True)

    assert "Reject it instead." in page.content.decode()


def test_what_was_deleted_for_good_says_so_and_no_more(desk, past):
    lyon = Fact.objects.get(object="Lyon")
    delete_item(owner=past.owner, kind="fact", target=lyon.pk, actor="alice")

    page = shown(desk, "console-change", past.first.pk)

    assert "Its words were deleted for good." in page
    assert "Experienced Lyon" not in page


def test_a_memory_is_shown_as_it_was_with_what_has_changed_since(desk, past):
    where = reverse("console-rewind", args=[past.owner.pk])
    at = past.first.created_at + timedelta(microseconds=1)

    then = desk.get(where, {"at": at.isoformat().replace("+00:00", "Z")})
    since = desk.get(where, {"at": at.isoformat(), "show": "since"}).content.decode()
    now = desk.get(where)

    assert "Lyon" in then.content.decode()
    assert "Paris" not in then.content.decode()
    assert then.context["counts"] == {
        "facts": 2, "sessions": 1, "rules": 1, "profile": 0, "since": 6,
    }  # fmt: skip
    for words in ("Paris", "<del>Experienced Lyon</del>", "<del>Uses green tea</del>", "a flat"):
        assert words in since
    assert "As it is now" in now.content.decode()
    assert now.context["counts"]["since"] == 0
    assert AuditEntry.objects.filter(action="memory.view", subject__endswith=":rewind").count() == 1


STEPS = (
    ({"step": "0"}, 0, "before anything was known"),
    ({"step": "1"}, 2, "a turn of a conversation"),
    ({"step": "99999999999999999999"}, 2, "As it is now"),
    ({"step": "-1", "show": "x"}, 2, "As it is now"),
    ({"step": "²"}, 2, "As it is now"),
    ({"at": "0001-01-01"}, 0, "before anything was known"),
    ({"at": "0001-01-01T00:00:00+23:59"}, 2, "is no date and time"),
    ({"at": "yesterday"}, 2, "is no date and time"),
    ({"at": "<script>alert(1)"}, 2, "is no date and time"),
    ({"at": "9999-01-01"}, 2, "Nobody knows the future."),
)


def test_the_slider_stops_at_each_run_and_wrong_moments_are_told(desk, past):
    where = reverse("console-rewind", args=[past.owner.pk])

    for query, facts, said in STEPS:
        answer = desk.get(where, query)
        part = desk.get(where, query, headers={"HX-Request": "true"}).content.decode()

        assert answer.context["counts"]["facts"] == facts, query
        assert said in answer.content.decode(), query
        assert "<script>alert" not in answer.content.decode()
        assert answer.status_code == (422 if answer.context["asked"].fault else 200), query
        assert "<h1" not in part
        assert 'id="then"' in part


def test_nothing_was_ever_remembered(desk, porter):
    page = shown(desk, "console-rewind", owner_of(porter, "bob").pk)

    assert "Nothing was ever remembered of them." in page


def test_each_tab_is_told_in_words(desk, past):
    where = past.owner.pk

    assert "They planned the move." in shown(desk, "console-rewind", where, show="sessions")
    assert "You answer briefly." in shown(desk, "console-rewind", where, show="rules")
    profile = shown(desk, "console-rewind", where, show="profile")
    assert "She is moving house." in profile
    assert "Places / Home" in profile


def test_it_asks_the_same_number_of_questions_of_more(desk, past):
    pages = [
        ("console-history",),
        ("console-change", past.first.pk),
        ("console-change-revert", past.first.pk),
        ("console-rewind", past.owner.pk),
        ("console",),
    ]
    questions(desk, *pages)
    few = questions(desk, *pages)
    for n in range(5):
        many = [added(fields=fact_fields(f"thing {n} {m}", f"I met {n} {m}.")) for m in range(6)]
        changed(past.owner, *many, added("rule"))
    pages[1] = pages[2] = ("console-change", Changeset.objects.latest("created_at").pk)
    pages[2] = ("console-change-revert", pages[1][1])

    assert questions(desk, *pages) == few


def test_stored_text_does_not_run(desk, porter):
    past = make_past(porter, HOSTILE, HOSTILE)
    made = [past.first, past.waiting, past.moved, past.edited, *runs(desk)]
    pages = [shown(desk, "console-history"), shown(desk, "console")]
    for one in made:
        pages += [shown(desk, f"console-change{name}", one.pk) for name in ("", "-revert")]
    for tab in ("facts", "sessions", "rules", "profile", "since"):
        pages.append(shown(desk, "console-rewind", past.owner.pk, show=tab, step="1"))

    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "}}" in page or HOSTILE not in page
    assert "&lt;script&gt;" in "".join(pages)


def test_the_pages_that_name_a_run_lead_to_it(desk, past):
    session = desk.get(reverse("console-sessions")).context["listed"].rows[0]

    assert f"?session={session.pk}" in shown(desk, "console-session", session.pk)
    assert "?state=waiting" in shown(desk, "console")
    assert reverse("console-history") in shown(desk, "console-candidates")
