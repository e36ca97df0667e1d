"""The parts of an export that are read back, and how each is called in plain words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Model

from accounts.models import Connection
from consolidation.models import ContextEvent
from consolidation.portable.export import name_of, sections
from knowledge import models as known
from memory.models import Event, Session


@dataclass(frozen=True, slots=True)
class ExportPart:
    """`ids` are the fields that hold ids of rows of the file: each is given a new one."""

    model: type[Model]
    plain: str
    ids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return name_of(self.model)


LEARNED = ("id", "source_session", "derived_from", "superseded_by")
TAKEN: tuple[ExportPart, ...] = (
    ExportPart(Session, "conversations", ("id",)),
    ExportPart(Event, "lines of conversations", ("id", "session_id")),
    ExportPart(known.Fact, "facts", LEARNED),
    ExportPart(known.Arc, "what conversations were about", (*LEARNED, "session")),
    ExportPart(known.Rule, "rules for how to answer", LEARNED),
    ExportPart(known.ProceduralProfile, "whether past conversations are brought up"),
    ExportPart(known.UserNarrative, "what you are about now", ("id",)),
    ExportPart(known.Scaffold, "your profile", ("id",)),
    ExportPart(known.ScaffoldEntry, "how sure your profile is", ("evidence",)),
    ExportPart(known.LearnedInfo, "learned besides", ("id",)),
    ExportPart(known.ContextDocument, "texts", ("connection_id",)),
    ExportPart(known.SavedFact, "saved facts", ("id", "source_session")),
    ExportPart(known.Entry, "notes"),
    ExportPart(known.EntryName, "names of notes"),
    ExportPart(known.Pattern, "what comes back", ("id", "sessions", "sources")),
    ExportPart(
        known.Contradiction, "what did not fit", ("changeset", "kept_events", "lost_events")
    ),
    ExportPart(known.ApprovalPolicy, "choices"),
    ExportPart(Connection, "connected tools", ("id",)),
    ExportPart(ContextEvent, "observations", ("id",)),
)
PARTS: Mapping[str, ExportPart] = {part.name: part for part in TAKEN}
FILES = "files"


def left_out() -> frozenset[str]:
    """Return the sections that an export has and nothing is taken from.

    They are the work behind the memory, which belongs to the server that did it, or are made anew.
    """
    return frozenset(name for name, _ in sections()) - PARTS.keys()
