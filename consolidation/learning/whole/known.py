"""What is known near new messages, by words, by meaning and by name: what a model sees of memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar, cast
from uuid import UUID

from accounts.models import Owner
from knowledge.models import Entity, Fact, Rule
from knowledge.models.learned import Learned, LearnedQuerySet
from knowledge.stores.base import Kind, Namespace, StoreQuery, model_name
from knowledge.stores.database import DATABASE
from memory.models import EmbeddingSpace
from providers.errors import ProviderFault
from providers.registry import embedder
from ranking.tokens import fold, meaningful

MOST_FACTS = 24
MOST_ENTITIES = 10
# Of the newest entities, so many are looked through for a name.
MOST_LOOKED_AT = 500
QUERY_CHARACTERS = 4_000
# In "the user's aunt" these name nobody.
EVERYBODYS = frozenset({"user", "user's", "users", "nutzer", "nutzers", "usuario", "utilisateur"})
Shown = Mapping[str, object]
Row = TypeVar("Row", bound=Learned)


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """Rows as a model is shown them, and the ids behind the handles that stand in them."""

    facts: Sequence[Shown] = ()
    entities: Sequence[Shown] = ()
    rules: Sequence[Shown] = ()
    ids: Mapping[str, str] = field(default_factory=dict)


def load_known(owner: Owner, texts: Sequence[str]) -> KnownMemory:
    """Return what is known near texts. A vector that cannot be had leaves it to words and names."""
    query = "\n".join(texts)[-QUERY_CHARACTERS:]
    entities = list(_mine(Entity, owner).order_by("-created_at")[:MOST_LOOKED_AT])
    named = [one for one in entities if _is_named(one, query)]
    facts = _facts(owner, query, named)
    wanted = {*(one.pk for one in named), *(fact.about for fact in facts if fact.about)}
    near = [one for one in entities if one.pk in wanted][:MOST_ENTITIES]
    rules = list(_mine(Rule, owner).order_by("created_at", "pk"))
    handles = {one.pk: f"e{place}" for place, one in enumerate(near, 1)}
    ids = {handle: str(pk) for pk, handle in handles.items()}
    ids |= {f"f{place}": str(fact.pk) for place, fact in enumerate(facts, 1)}
    ids |= {f"r{place}": str(rule.pk) for place, rule in enumerate(rules, 1)}
    return KnownMemory(
        facts=[_fact(f"f{place}", fact, handles) for place, fact in enumerate(facts, 1)],
        entities=[_entity(handles[one.pk], one) for one in near],
        rules=[{"id": f"r{place}", "rule": rule.text} for place, rule in enumerate(rules, 1)],
        ids=ids,
    )


def _facts(owner: Owner, query: str, named: Sequence[Entity]) -> list[Fact]:
    """Return facts about those who are named, those near by words and meaning, then the newest."""
    about = _mine(Fact, owner).filter(about__in=[one.pk for one in named])
    found = list(about.defer("embedding").order_by("-created_at")[: MOST_FACTS // 2])
    matches = DATABASE.similar(
        Namespace(owner, Kind.SEMANTIC), _sought(owner, query), limit=MOST_FACTS
    )
    rows = Fact.objects.filter(owner=owner).in_bulk([one.record.key for one in matches])
    near = [rows[one.record.key] for one in matches if one.record.key in rows]
    newest = _mine(Fact, owner).defer("embedding").order_by("-created_at")[:MOST_FACTS]
    return list({fact.pk: fact for fact in (*found, *near, *newest)}.values())[:MOST_FACTS]


def _sought(owner: Owner, query: str) -> StoreQuery:
    space = EmbeddingSpace.objects.current()
    if space is None or not query.strip():
        return StoreQuery(query)
    if not Fact.objects.filter(owner=owner, space=space).exists():
        return StoreQuery(query)
    try:
        vector = embedder().embed([query])[0]
    except ProviderFault:
        return StoreQuery(query)
    return StoreQuery(query, vector, model_name(space))


def _mine(model: type[Row], owner: Owner) -> LearnedQuerySet[Row]:
    return cast("LearnedQuerySet[Row]", model.objects.filter(owner=owner).active())


def _is_named(entity: Entity, query: str) -> bool:
    said = set(meaningful(query))
    return any((set(meaningful(name)) - EVERYBODYS) & said for name in _names(entity))


def _names(entity: Entity) -> Iterable[str]:
    # Of "the user's younger daughter" the last word is what somebody says.
    return [entity.name, *entity.names, *fold(entity.relation).split()[-1:]]


def _fact(handle: str, fact: Fact, entities: Mapping[UUID, str]) -> Shown:
    row: dict[str, object] = {"id": handle, "said": _day(fact.said_at or fact.created_at)}
    row |= {"kind": fact.category, "fact": fact.statement or _triple(fact)}
    if fact.about and fact.about in entities:
        row["about"] = entities[fact.about]
    if fact.holds_until:
        row["holds_until"] = fact.holds_until.isoformat()
    return row


def _triple(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}: '{fact.evidence_quote}'"


def _entity(handle: str, entity: Entity) -> Shown:
    row = {"id": handle, "name": entity.name, "kind": entity.kind.lower()}
    return row | {"other_names": entity.names, "relation": entity.relation}


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
