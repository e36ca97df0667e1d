"""What was known at a moment, against what was really there at that moment."""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from accounts.models import Owner
from knowledge.changes.apply import decide_item, delete_item, edit_item, revert_changeset
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.errors import ChangesetFinal, ChangesetOvertaken, ItemChanged
from knowledge.history.rewind import memory_as_of
from knowledge.items.rows import DERIVED, snapshot
from knowledge.models import Arc, ChangeItem, Changeset, Fact, ProceduralProfile, Rule
from knowledge.profile.edit import edit_profile, erase_profile, read_profile
from knowledge.profile.pointers import leaves
from tests.factories import make_session
from tests.knowledge.learned import (
    added,
    arc_fields,
    change,
    changed,
    fact_fields,
    owner_of,
    replaced,
    rule_fields,
)

PEOPLE = count()
PATH = "/Places/Home"
# What is no act of a life.
HELP = {"owner", "names", "moments", "act", "fact", "some"}


def known(owner) -> dict:
    """Return what the tables say now, in the words of a rewound memory."""
    picture = read_profile(owner)
    profile = ProceduralProfile.objects.filter(owner=owner).first()
    return {
        "items": {
            row.pk: snapshot(row)
            for model in (Fact, Arc, Rule)
            for row in model.objects.filter(owner=owner)
        },
        "narrative": picture.working_memory,
        "leaves": leaves(picture.scaffold),
        "recall": bool(profile and profile.proactive_recall_enabled),
    }


def told(owner, at=None) -> dict:
    """Return what the changes say was known at a moment."""
    memory = memory_as_of(owner, at or timezone.now())
    return {
        "items": {
            id: {name: value for name, value in one.fields.items() if name not in DERIVED}
            for id, one in memory.items.items()
        },
        "narrative": memory.narrative,
        "leaves": memory.leaves,
        "recall": memory.proactive_recall,
    }


@dataclass
class Life:
    """A person's memory, what happens to it, and what it was after each act."""

    owner: Owner
    names: count = field(default_factory=count)
    moments: list = field(default_factory=list)

    def act(self, name: str, place: int) -> None:
        try:
            getattr(self, name)(place)
        except (ChangesetFinal, ChangesetOvertaken, ItemChanged):
            return
        self.moments.append((timezone.now(), known(self.owner)))

    def fact(self, category: str = "context"):
        word = f"thing {next(self.names)}"
        return added(fields=fact_fields(word, f"I met {word}.", category=category))

    def some(self, place: int, *models):
        rows = [row for model in models for row in model.objects.filter(owner=self.owner)]
        return rows[place % len(rows)] if rows else None

    def learn(self, place: int) -> None:
        session = make_session(self.owner.agent, self.owner.key)
        arc = added("arc", arc_fields(session.pk))
        changed(self.owner, self.fact(), arc)

    def rules(self, place: int) -> None:
        texts = [f"You do {next(self.names)}." for _ in range(9)]
        changed(self.owner, *(added("rule", rule_fields(text)) for text in texts))

    def replace(self, place: int) -> None:
        old = self.some(place, Fact)
        if old:
            new = self.fact()
            changed(self.owner, new, replaced(old.pk, new.target))

    def bump(self, place: int) -> None:
        old = self.some(place, Fact)
        if old:
            changed(self.owner, change("fact", "bump", old.pk))

    def ask(self, place: int) -> None:
        """Propose a goal and a rule that nobody is sure of: both wait for somebody's word."""
        rule = added("rule", rule_fields(f"You do {next(self.names)}."), "low")
        changed(self.owner, self.fact("goal"), rule)

    def decide(self, place: int) -> None:
        waiting = ChangeItem.objects.filter(changeset__owner=self.owner, state="waiting")
        item = waiting.order_by("pk").first()
        if item:
            decide_item(item=item, approve=place % 2 == 0, actor="bob")

    def edit(self, place: int) -> None:
        row = self.some(place, Fact)
        if row:
            word = f"thing {next(self.names)}"
            edit_item(
                owner=self.owner, kind="fact", target=row.pk, fields={"object": word}, actor="alice"
            )

    def revert(self, place: int) -> None:
        made = list(Changeset.objects.filter(owner=self.owner).order_by("-pk"))
        if made:
            revert_changeset(changeset=made[place % len(made)], actor="bob")

    def recall(self, place: int) -> None:
        fields = {"proactive_recall_enabled": place % 2 == 0}
        edit_item(owner=self.owner, kind="profile", target=None, fields=fields, actor="alice")

    def tell(self, place: int) -> None:
        text = f"It is day {next(self.names)}. It rains."
        edit_profile(owner=self.owner, part="narrative", fields={"text": text}, actor="alice")

    def place(self, place: int) -> None:
        fields = {f"{PATH}{place}": f"house {next(self.names)}"}
        edit_profile(owner=self.owner, part="scaffold", fields=fields, actor="alice")

    def delete(self, place: int) -> None:
        row = self.some(place, Fact, Rule, Arc)
        if row:
            kind = type(row).__name__.lower()
            delete_item(owner=self.owner, kind=kind, target=row.pk, actor="alice")
            for _, was in self.moments:
                was["items"].pop(row.pk, None)

    def erase(self, place: int) -> None:
        erase_profile(owner=self.owner, part="scaffold", names=[f"{PATH}{place}"], actor="alice")
        for _, was in self.moments:
            was["leaves"].pop(f"{PATH}{place}", None)

    def silence(self, place: int) -> None:
        """Erase the sentence about the rain, and with it every text that held one."""
        erase_profile(owner=self.owner, part="narrative", names=["It rains."], actor="alice")
        for _, was in self.moments:
            if "rains" in was["narrative"]:
                was["narrative"] = ""


NAMES = [name for name in vars(Life) if name[0] != "_" and name not in HELP]
ACTS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), min_size=6, max_size=14)
EVERYTHING = [
    ("learn", 0), ("tell", 0), ("place", 1), ("replace", 0), ("rules", 0), ("rules", 0),
    ("ask", 0), ("rules", 0), ("decide", 0), ("decide", 2), ("revert", 1), ("ask", 0), ("revert", 0),
    ("edit", 0), ("revert", 0), ("recall", 0), ("revert", 0), ("tell", 0), ("silence", 0),
    ("place", 1), ("erase", 1), ("delete", 0), ("revert", 3), ("ask", 0), ("decide", 1),
]  # fmt: skip


@given(ACTS)
@example(EVERYTHING)
@settings(
    max_examples=5,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_each_moment_is_told_as_it_was_but_for_what_was_deleted_for_good(porter, acts):
    life = Life(owner_of(porter, f"person {next(PEOPLE)}"))
    policies = [NewPolicy("goal", "approved"), NewPolicy("rule", "above", "high")]
    set_policies(agent=porter, owner=None, policies=policies, actor="test")
    begin = timezone.now() - timedelta(seconds=1)

    for name, place in acts:
        life.act(name, place)

    assert told(life.owner) == known(life.owner)
    for at, was in life.moments:
        assert told(life.owner, at) == was
    assert told(life.owner, begin) == {"items": {}, "narrative": "", "leaves": {}, "recall": False}


def test_after_a_run_is_taken_back_it_is_as_before_the_run(porter):
    owner = owner_of(porter)
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    before = timezone.now()
    made = changed(owner, new, replaced(old.target, new.target), added("rule"))
    during = timezone.now()

    revert_changeset(changeset=made, actor="bob")

    assert told(owner) == told(owner, before)
    active = [one.fields["object"] for one in memory_as_of(owner, during).active("fact")]
    assert active == ["Paris"]


def test_what_was_deleted_for_good_was_never_there(porter):
    owner = owner_of(porter)
    one, two = added(), added(fields=fact_fields("tea", "I drink tea."))
    changed(owner, one, two)
    then = timezone.now()
    assert len(memory_as_of(owner, then).items) == 2

    delete_item(owner=owner, kind="fact", target=one.target, actor="alice")

    assert set(memory_as_of(owner, then).items) == {two.target}


def test_it_asks_one_question_however_long_the_history_is(porter):
    owner = owner_of(porter)
    for _ in range(5):
        changed(owner, added("rule"))

    with CaptureQueriesContext(connection) as queries:
        found = memory_as_of(owner, timezone.now())

    assert len(queries) == 1
    assert len(found.active("rule")) == 5
    assert not memory_as_of(owner_of(porter, "bob"), timezone.now()).items
