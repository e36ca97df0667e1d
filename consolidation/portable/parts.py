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
class Part:
    """`ids` are the fields that hold ids of rows of the file: each is given a new one."""

    model: type[Model]
    plain: str
    ids: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return name_of(self.model)


LEARNED = ("id", "source_session", "derived_from", "superseded_by")
TAKEN: tuple[Part, ...] = (
    Part(Session, "conversations", ("id",)),
    Part(Event, "lines of conversations", ("id", "session_id")),
    Part(known.Fact, "facts", LEARNED),
    Part(known.Arc, "what conversations were about", (*LEARNED, "session")),
    Part(known.Rule, "rules for how to answer", LEARNED),
    Part(known.ProceduralProfile, "whether past conversations are brought up"),
    Part(known.UserNarrative, "what you are about now", ("id",)),
    Part(known.Scaffold, "your profile", ("id",)),
    Part(known.ScaffoldEntry, "how sure your profile is", ("evidence",)),
    Part(known.LearnedInfo, "learned besides", ("id",)),
    Part(known.ContextDocument, "texts", ("connection_id",)),
    Part(known.SavedFact, "saved facts", ("id", "source_session")),
    Part(known.Entry, "notes"),
    Part(known.EntryName, "names of notes"),
    Part(known.Pattern, "what comes back", ("id", "sessions", "sources")),
    Part(known.Contradiction, "what did not fit", ("changeset", "kept_events", "lost_events")),
    Part(known.ApprovalPolicy, "choices"),
    Part(Connection, "connected tools", ("id",)),
    Part(ContextEvent, "observations", ("id",)),
)
PARTS: Mapping[str, Part] = {part.name: part for part in TAKEN}
FILES = "files"


def left_out() -> frozenset[str]:
    """Return the sections that an export has and nothing is taken from.

    They are the work behind the memory, which belongs to the server that did it, or are made anew.
    """
    return frozenset(name for name, _ in sections()) - PARTS.keys()
