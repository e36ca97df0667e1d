"""Alice, of whom one of each kind of thing is known, and all of it deleted."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from accounts.models import Connection, Owner
from accounts.owners import agent_owner, resolve_owner
from consolidation.deletion.forget import AT_ONCE, forget
from consolidation.deletion.places.table import TRACES
from consolidation.deletion.trace import Target
from knowledge.connections import connect
from knowledge.documents.agent import put_document
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import (
    Arc,
    ContextDocument,
    Entity,
    Entry,
    Fact,
    KnowledgeDocument,
    LearnedInfo,
    Rule,
    SavedFact,
    Scaffold,
    UserNarrative,
)
from knowledge.notes.write import put_note
from knowledge.profile.edit import edit_profile
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.files import read_file, write_file
from tests.admin.rows import fill_learned
from tests.factories import make_ended_session

PARTS = (
    ("narrative", {"text": "She keeps bees. She sings."}),
    ("scaffold", {"/Home/Garden": "two hives", "/Home/Town": "Graz"}),
    ("learned_info", {"items": ["prefers honey", "sings alto"]}),
)


def fill(agent) -> tuple[Owner, Owner]:
    """Return alice and the agent's own owner, with one of each kind."""
    fill_learned(make_ended_session(agent, ["I keep bees."]))
    alice, own = resolve_owner(agent=agent, user="alice"), agent_owner(agent)
    for part, fields in PARTS:
        edit_profile(owner=alice, part=part, fields=fields, actor="alice")
    put_documents(owner=alice, documents=[NewDocument("Her hives stand in Graz.")])
    put_note(owner=alice, actor="a", name="hives", content="two of them", aliases=["bees"])
    save_facts(owner=alice, facts=[NewFact("honey", "dark")], session=None, source="tool")
    for tool in ("mail", "calendar"):
        learned = {"persistent_learned_info": {"signs": "as Ally"}}
        connect(owner=alice, actor="a", fields={"tool": tool, **learned})
    mail = Connection.objects.get(owner=alice, tool="mail")
    put_documents(owner=alice, documents=[NewDocument("A mail on honey.", connection=mail.pk)])
    put_document(owner=own, content="Bees swarm in May.", key="swarm", language="english")
    write_file(owner=alice, name="USER.md", text="She keeps bees.")
    return alice, own


def targets(alice: Owner, own: Owner) -> Mapping[str, tuple[Owner, Target]]:
    """Return whose each thing is, and how it is named, by its kind."""
    tools = dict(Connection.objects.filter(owner=alice).values_list("tool", "pk"))
    known: Mapping[str, Target] = {
        "fact": Target("fact", Fact.objects.get(owner=alice).pk),
        "arc": Target("arc", Arc.objects.get(owner=alice).pk),
        "rule": Target("rule", Rule.objects.get(owner=alice).pk),
        "entity": Target("entity", Entity.objects.get(owner=alice).pk),
        "narrative": Target("narrative", "She keeps bees."),
        "scaffold": Target("scaffold", "/Home/Garden"),
        "learned_info": Target("learned_info", "prefers honey"),
        "document": Target(
            "document", ContextDocument.objects.get(owner=alice, connection=None).pk
        ),
        "note": Target("note", "hives"),
        "saved_fact": Target("saved_fact", SavedFact.objects.get(owner=alice).pk),
        "connection": Target("connection", tools["mail"]),
        "tool": Target("tool", tools["calendar"]),
        "file": Target("file", "USER.md"),
    }
    knowledge = Target("knowledge", KnowledgeDocument.objects.get().pk)
    assert {*known, "knowledge"} == {kind for trace in TRACES for kind in trace.kinds}
    return {**{kind: (alice, one) for kind, one in known.items()}, "knowledge": (own, knowledge)}


def delete(known: Mapping[str, tuple[Owner, Target]], keep_for: timedelta = AT_ONCE) -> list:
    """Delete each in an act of its own; return the acts."""
    return [
        (owner, forget(owner=owner, items=[one], actor="alice", keep_for=keep_for).act)
        for owner, one in known.values()
    ]


def left(alice: Owner) -> set[str]:
    """Return the kinds of which something is left."""
    there: Mapping[str, Callable[[], bool]] = {
        "fact": Fact.objects.filter(owner=alice).exists,
        "arc": Arc.objects.filter(owner=alice).exists,
        "rule": Rule.objects.filter(owner=alice).exists,
        "entity": Entity.objects.filter(owner=alice).exists,
        "narrative": UserNarrative.objects.filter(text__contains="bees").exists,
        "scaffold": Scaffold.objects.filter(data__Home__has_key="Garden").exists,
        "learned_info": LearnedInfo.objects.filter(items__contains=["prefers honey"]).exists,
        "document": ContextDocument.objects.filter(owner=alice, connection=None).exists,
        "note": Entry.objects.filter(owner=alice, name="hives", names__name="bees").exists,
        "saved_fact": SavedFact.objects.filter(key="honey", value="dark").exists,
        "connection": ContextDocument.objects.filter(connection__tool="mail").exists,
        "tool": Connection.objects.filter(
            tool="calendar", persistent_learned_info__signs="as Ally"
        ).exists,
        "knowledge": KnowledgeDocument.objects.filter(key="swarm").exists,
        "file": lambda: "bees" in read_file(owner=alice, name="USER.md"),
    }
    return {kind for kind, is_there in there.items() if is_there()}


def others(alice: Owner) -> str:
    """Return what was not deleted."""
    narrative = UserNarrative.objects.get(owner=alice).text
    home = Scaffold.objects.get(owner=alice).data["Home"]
    items = LearnedInfo.objects.get(owner=alice).items
    return str((narrative, home, items))
