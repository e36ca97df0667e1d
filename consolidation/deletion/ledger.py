"""What was erased and forgotten, in a file outside the database: a restored backup does it again.

Ids and keyed digests only. A line is on the disk before what it tells counts; a line that was cut
off tells of nothing that counts.
"""

import fcntl
import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Literal
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from pydantic import AwareDatetime, BaseModel, ConfigDict, TypeAdapter, ValidationError

from accounts.models import Owner
from consolidation.errors import LedgerUnreadable, LedgerUnwritable
from consolidation.models import Erasure
from knowledge.models import Forgetting, Tombstone

FILE = "erasures.jsonl"


class Whose(BaseModel):
    """An owner. The number may be another's in a database that was restored: `who` tells."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: int
    who: str

    def is_of(self, owner: Owner) -> bool:
        return hmac.compare_digest(self.who.encode(), whose(owner).who.encode())


class Erased(BaseModel):
    """The erasure of a person has begun, and cannot be stopped."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    act: Literal["erase"]
    id: UUID
    at: AwareDatetime
    owners: list[Whose]


class ForgottenEntry(BaseModel):
    """Items that were forgotten, and which lines no prompt says any more."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    act: Literal["forget"]
    id: UUID
    at: AwareDatetime
    owner: Whose
    items: list[tuple[str, UUID]]
    tombstones: list[tuple[str, str]]
    events: list[UUID]
    chunks: list[UUID]
    final_at: AwareDatetime


class Ended(BaseModel):
    """An act of forgetting was taken back, or made final before its time."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    act: Literal["take_back", "make_final"]
    id: UUID
    at: AwareDatetime


Line = Erased | ForgottenEntry | Ended
LINE: TypeAdapter[Line] = TypeAdapter(Erased | ForgottenEntry | Ended)


def place() -> Path:
    """Return where the ledger is: in the data folder."""
    data: Path = settings.DATA_DIR
    return data / FILE


def whose(owner: Owner) -> Whose:
    """Return what an owner is known by, whatever number they get."""
    key = settings.PSEUDONYM_KEY.encode()
    said = f"ledger {owner.pk} {owner.agent_id} {owner.kind} {owner.key}".encode()
    return Whose(id=owner.pk, who=hmac.new(key, said, hashlib.sha256).hexdigest())


def note_erasure(erasure: Erasure) -> None:
    """Write down that an erasure is under way. Raises LedgerUnwritable.

    An owner whose name has gone already was written down before.
    """
    found = Owner.objects.filter(pk__in=erasure.owners).exclude(key__startswith="erased:")
    owners = [whose(owner) for owner in found]
    if owners:
        add([Erased(act="erase", id=erasure.pk, at=timezone.now(), owners=owners)])


def note_forgetting(act: Forgetting, items: Iterable[tuple[str, UUID]]) -> None:
    """Write down what an act forgot. Raises LedgerUnwritable."""
    tombs = Tombstone.objects.filter(pk__in=act.tombstones).values_list("kind", "digest")
    line = ForgottenEntry(
        act="forget",
        id=act.pk,
        at=timezone.now(),
        owner=whose(act.owner),
        items=list(items),
        tombstones=[(kind, bytes(digest).hex()) for kind, digest in tombs],
        events=act.events,
        chunks=act.chunks,
        final_at=act.final_at,
    )
    add([line])


def note_end(act: UUID, how: Literal["take_back", "make_final"]) -> None:
    """Write down that an act was taken back, or made final. Raises LedgerUnwritable."""
    add([Ended(act=how, id=act, at=timezone.now())])


def add(lines: Sequence[Line]) -> None:
    """Add lines at the end, on the disk when this returns. Raises LedgerUnwritable."""
    text = "".join(f"{line.model_dump_json()}\n" for line in lines)
    try:
        place().parent.mkdir(parents=True, exist_ok=True)
        number = os.open(place(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with open(number, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _let_go_of_a_cut_line(file)
            os.write(number, text.encode())
            os.fsync(number)
    except OSError as error:
        raise LedgerUnwritable(f"the ledger of erasures: {error.strerror}") from error


def read(path: Path) -> list[Line]:
    """Return the lines of a ledger, in their order. Raises LedgerUnreadable."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LedgerUnreadable(f"{path}: {error.strerror}") from error
    whole = content[: content.rfind(b"\n") + 1].splitlines()
    try:
        return [LINE.validate_json(line) for line in whole]
    except ValidationError as error:
        raise LedgerUnreadable(f"{path}: a line is none of the ledger's") from error


def adopt(others: Iterable[Path]) -> list[Line]:
    """Return the lines of the data folder's ledger, after those of others were added to it.

    Raises LedgerUnreadable or LedgerUnwritable.
    """
    known = read(place()) if place().exists() else []
    there = set(map(_said, known))
    told = {_said(line): line for path in others for line in read(path)}
    new = [line for said, line in told.items() if said not in there]
    if new:
        add(new)
    return sorted([*known, *new], key=lambda line: line.at)


def _said(line: Line) -> str:
    return json.dumps(line.model_dump(mode="json"), sort_keys=True)


def _let_go_of_a_cut_line(file: IO[bytes]) -> None:
    """Cut off what a crash left of a line: it was not acknowledged."""
    end = file.seek(0, os.SEEK_END)
    back = min(end, 1 << 20)
    file.seek(end - back)
    tail = file.read(back)
    if tail and not tail.endswith(b"\n"):
        file.truncate(end - back + tail.rfind(b"\n") + 1)
