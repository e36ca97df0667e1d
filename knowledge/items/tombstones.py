"""What a person had deleted is known by keyed digests alone, so that nothing brings it back."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from django.conf import settings

from accounts.models import Owner
from knowledge.models import ChangeItem, Tombstone
from ranking.tokens import fold, tokens

Kind = ChangeItem.Kind
TOMBSTONE = "guard.tombstone"
# What is known by its words alone, and the field that has them.
TEXTS: Mapping[str, str] = {
    Kind.DOCUMENT: "content",
    Kind.NARRATIVE: "text",
    Kind.LEARNED_INFO: "text",
}


def bury(*, owner: Owner, kind: str, fields: Mapping[str, object]) -> None:
    """Make the tombstones of an item, in the caller's transaction."""
    rows = [Tombstone(owner=owner, kind=kind, digest=one) for one in digests(owner, kind, fields)]
    Tombstone.objects.bulk_create(rows, ignore_conflicts=True)


def is_buried(*, owner: Owner, kind: str, fields: Mapping[str, object]) -> bool:
    """Say whether an item with these fields says what was deleted."""
    known = digests(owner, kind, fields)
    return Tombstone.objects.filter(owner=owner, kind=kind, digest__in=known).exists()


def digests(owner: Owner, kind: str, fields: Mapping[str, object]) -> frozenset[bytes]:
    """Return what an item is known by once its words are gone.

    Two for a fact, of what it says and of the quote it is from: a model that reads the same words
    again may name the thing otherwise. One for an arc: its session's; one for a document: its words';
    one for a leaf of the scaffold, and for each member of one that is a list.
    """
    return frozenset(_digest(owner, kind, parts) for parts in _says(kind, fields))


def _says(kind: str, fields: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    if kind == Kind.FACT:
        for name in ("object", "evidence_quote"):
            yield name, str(fields.get("predicate", "")), words(fields.get(name))
    elif kind == Kind.RULE:
        yield from _says_rule(fields)
    elif kind == Kind.ARC:
        session = fields.get("session")
        yield "session", str(session if isinstance(session, UUID) else UUID(str(session)))
    elif kind == Kind.SCAFFOLD:
        yield from _says_leaf(str(fields.get("path", "")), fields.get("value"))
    elif kind in TEXTS:
        yield TEXTS[kind], words(fields.get(TEXTS[kind]))


def _says_rule(fields: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    yield "text", words(fields.get("text"))
    evidence = fields.get("evidence")
    for quote in evidence if isinstance(evidence, list | tuple) else ():
        yield "quote", words(quote)


def _says_leaf(path: str, value: object) -> Iterator[tuple[str, ...]]:
    """Yield a leaf by its last key, wherever it stands; of a list, each of its members."""
    key = words(path.rpartition("/")[2])
    for one in value if isinstance(value, list) else [value]:
        yield "leaf", key, words(one)


def words(text: object) -> str:
    """Return one form of texts that differ in case, punctuation and spacing only."""
    return " ".join(tokens(str(text))) or fold(str(text)).strip()


def _digest(owner: Owner, kind: str, parts: tuple[str, ...]) -> bytes:
    digest = hmac.new(settings.PSEUDONYM_KEY.encode(), digestmod=hashlib.sha256)
    for part in ("tombstone", str(owner.pk), kind, *parts):
        said = part.encode(errors="surrogatepass")
        digest.update(len(said).to_bytes(8, "big") + said)
    return digest.digest()


def buried_among(*, owner: Owner, kind: str, items: Sequence[Mapping[str, object]]) -> list[bool]:
    """Say of each item whether it says what was deleted, in one look."""
    known = [digests(owner, kind, fields) for fields in items]
    gone = set(
        map(
            bytes,
            Tombstone.objects.filter(owner=owner, kind=kind).values_list("digest", flat=True)
            if items
            else (),
        )
    )
    return [not gone.isdisjoint(mine) for mine in known]
