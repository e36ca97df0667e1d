"""All that is known of a person as one JSON document, written while it is read."""

from collections.abc import Iterator, Mapping, Sequence

import orjson
from django.contrib.postgres.search import SearchVectorField
from django.db.models import BinaryField, Field, Model, QuerySet
from django.utils import timezone
from pgvector.django import BitField, HalfVectorField

from accounts.models import Owner
from consolidation import models as work
from consolidation.deletion.places.table import PLACES, Place
from knowledge import models as known
from knowledge.errors import FileUnknown
from knowledge.workspace.files import list_files, read_file
from memory import models as log
from memory.hashing import reference

FORMAT = "recollect.person"
VERSION = 1
# Numbers by which words are found, and the work behind them: nobody's words.
NOT_EXPORTED: frozenset[type[Model]] = frozenset(
    {
        log.Embedding,
        log.Posting,
        log.Term,
        log.OwnerIndex,
        log.SessionStep,
        known.KnowledgeEmbedding,
        known.KnowledgeIndex,
        known.EntryTerm,
        known.EntryIndex,
        known.Tombstone,
        work.SynthesisRun,
        work.LearningRun,
        work.CompactionRun,
        work.Import,
    }
)
NO_WORDS = (HalfVectorField, BitField, BinaryField, SearchVectorField)
Row = Mapping[str, object]


def sections() -> Iterator[tuple[str, Place]]:
    """Return the parts of an export, by their names."""
    for place in PLACES:
        if place.model not in NOT_EXPORTED and not _is_of_costs(place):
            yield name_of(place.model), place


def name_of(model: type[Model]) -> str:
    meta = model._meta  # noqa: SLF001 - documented by Django
    return str(meta.verbose_name_plural).replace(" ", "_")


def rows_of(place: Place, owners: Sequence[Owner]) -> Iterator[Row]:
    """Read the rows of a part, in the order of their making."""
    rows: QuerySet = QuerySet(place.model).filter(
        **{f"{place.path}__in": [owner.pk for owner in owners]}
    )
    names = fields_of(place.model)
    if place.model is log.Event:
        yield from _with_references(rows.order_by("pk").values(*names, "hash"))
    else:
        yield from rows.order_by("pk").values(*names).iterator(chunk_size=500)


def fields_of(model: type[Model]) -> list[str]:
    """Return the fields that hold something that a person can read."""
    found: Sequence[Field] = model._meta.concrete_fields  # noqa: SLF001 - documented by Django
    return [one.attname for one in found if not isinstance(_kept(one), NO_WORDS)]


def head_of(owners: Sequence[Owner]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": timezone.now(),
        "user": owners[0].key if owners else "",
        "agents": {str(owner.pk): owner.agent.slug for owner in owners},
        "kept_apart": [owner.pk for owner in owners if not owner.is_shared],
    }


def exported(owners: Sequence[Owner]) -> Iterator[bytes]:
    """Return the pieces of the document; `owner_id` of a row names the agent that knows it."""
    yield _json(head_of(owners))[:-1] + b',"sections":{'
    for position, (name, place) in enumerate(sections()):
        yield (b"," if position else b"") + _json(name) + b":["
        for number, row in enumerate(rows_of(place, owners)):
            yield (b"," if number else b"") + _json(row)
        yield b"]"
    yield b',"files":' + _json(list(files_of(owners)))
    yield b"}}"


def files_of(owners: Sequence[Owner]) -> Iterator[Row]:
    """Return the texts of the workspaces."""
    for owner in owners:
        for listed in list_files(owner):
            try:
                text = read_file(owner=owner, name=listed.name)
            except FileUnknown:
                continue
            yield {"owner_id": owner.pk, "name": listed.name, "text": text}


def _with_references(rows: QuerySet) -> Iterator[Row]:
    """Say of each event what it is called by what was learned from it."""
    for row in rows.iterator(chunk_size=500):
        digest = row.pop("hash")
        yield {**row, "reference": reference(bytes(digest))}


def _is_of_costs(place: Place) -> bool:
    return place.path == "owner" and name_of(place.model) == "cost_entries"


def _kept(field: Field) -> Field:
    kept: Field = getattr(field, "output_field", field)
    return kept


def _json(value: object) -> bytes:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)
