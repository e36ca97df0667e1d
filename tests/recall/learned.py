"""Facts, arcs and rules of alice's, put by the store that recall reads."""

from accounts.owners import resolve_owner
from knowledge.models import ProceduralProfile
from knowledge.stores.base import Kind, Namespace, Record
from knowledge.stores.database import DATABASE


def owner_of(agent, user: str = "alice"):
    return resolve_owner(agent=agent, user=user)


def keep(owner, *records: Record) -> None:
    """Put records, each under the kind that its fields are of."""
    for record in records:
        DATABASE.put(Namespace(owner, kind_of(record)), record)


def kind_of(record: Record) -> Kind:
    if "predicate" in record.value:
        return Kind.SEMANTIC
    return Kind.EPISODIC if "summary" in record.value else Kind.PROCEDURAL


def switch_recall_on(owner) -> None:
    ProceduralProfile.objects.update_or_create(
        owner=owner, defaults={"proactive_recall_enabled": True}
    )
