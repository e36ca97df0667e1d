"""What an export tells but its conversations, taken in as it is told."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.models import Owner
from consolidation.portable.importing.conversations import Counts
from consolidation.portable.importing.ids import Ids
from consolidation.portable.importing.records import (
    take_choices_and_tools,
    take_documents,
    take_facts_by_name,
    take_notes,
)
from consolidation.portable.parts import LEARNED
from consolidation.portable.reading.checking import Row, id_of, text_of
from consolidation.portable.reading.document import Export
from knowledge.imports.items import ImportedItem, Intake, set_recall, take_items
from knowledge.imports.profile import take_picture
from knowledge.items.rows import as_json
from knowledge.models import (
    Arc,
    ChangeItem,
    Fact,
    LearnedInfo,
    ProceduralProfile,
    Rule,
    Scaffold,
    ScaffoldEntry,
    UserNarrative,
)
from knowledge.profile.items import ENTRY, Said

Kind = ChangeItem.Kind
KINDS = ((Kind.FACT, Fact), (Kind.ARC, Arc), (Kind.RULE, Rule))
OWN = frozenset({"id", "owner_id", "created_at", "last_referenced_at", "space_id"})


def take_learned(
    *, owner: Owner, export: Export, ids: Ids, key: str, actor: str, is_trial: bool = False
) -> tuple[Counts, UUID | None]:
    """Take in all but the conversations, in the caller's transaction.

    Raises NameUnfit, ContentUnfit, ContextUnfit or ConnectionUnknown for what cannot be kept.
    """
    tallies = take_choices_and_tools(owner, export, ids)
    intake = Intake(owner, f"import:{key}", actor, is_trial=is_trial)
    for kind, model in KINDS:
        told = [_told(row, ids) for row in export.rows(model)]
        tallies[f"{kind}s"] = take_items(intake, kind, told)
    wanted = any(row.get("proactive_recall_enabled") for row in export.rows(ProceduralProfile))
    tallies["procedural_profiles"] = set_recall(intake, wanted)
    parts = take_picture(
        intake,
        narrative=_narrative(export),
        scaffold=_scaffold(export),
        entries=_entries(export, ids),
        learned=_learned(export),
    )
    tallies["user_narratives"] = parts[Kind.NARRATIVE]
    tallies["scaffolds"] = parts[Kind.SCAFFOLD]
    tallies["learned_infos"] = parts[Kind.LEARNED_INFO]
    tallies["context_documents"] = take_documents(intake, export, ids)
    tallies |= take_facts_by_name(owner, export, ids)
    tallies["entries"] = take_notes(owner, export)
    made = intake.close()
    counts = {name: tally.counts() for name, tally in tallies.items()}
    return {name: found for name, found in counts.items() if found}, made.pk if made else None


def _told(row: Row, ids: Ids) -> ImportedItem:
    fields = {name: value for name, value in row.items() if name not in OWN}
    for name in (*LEARNED[1:], "session"):
        if name in fields:
            fields[name] = ids.within(fields[name])
    events = fields.get("source_events")
    if isinstance(events, list):
        fields["source_events"] = [ids.reference(str(one)) for one in events]
    session = row.get("session")
    return ImportedItem(
        id=ids.of(id_of(row)),
        fields=fields,
        created_at=_time(row, "created_at"),
        last_referenced_at=_time(row, "last_referenced_at"),
        session=session if isinstance(session, UUID) else None,
    )


def _time(row: Row, name: str) -> datetime:
    found = row.get(name)
    return found if isinstance(found, datetime) else timezone.now()


def _narrative(export: Export) -> tuple[str, list[Said]]:
    for row in export.rows(UserNarrative):
        statements = row.get("statements")
        return text_of(row, "text"), statements if isinstance(statements, list) else []
    return "", []


def _scaffold(export: Export) -> Said:
    for row in export.rows(Scaffold):
        data = row.get("data")
        return data if isinstance(data, dict) else {}
    return {}


def _entries(export: Export, ids: Ids) -> dict[str, Said]:
    found: dict[str, Said] = {}
    for row in export.rows(ScaffoldEntry):
        told = {name: as_json(row[name]) for name in ENTRY if name in row}
        told["evidence"] = ids.within(told.get("evidence") or [])
        found[text_of(row, "path")] = told
    return found


def _learned(export: Export) -> list[str]:
    for row in export.rows(LearnedInfo):
        items = row.get("items")
        return [str(one) for one in items] if isinstance(items, list) else []
    return []
