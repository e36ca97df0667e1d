"""The keys of a profile: one thing has one name, and lists join without doublets."""

from collections.abc import Iterable

from knowledge.profile.pointers import escaped, keys_of
from ranking.tokens import fold


def settled(path: str, known: Iterable[str]) -> str:
    """Return a pointer in the spelling of the keys that are there: /home_city is /Home City.

    Raises ValueError when it is no pointer.
    """
    spelt: dict[tuple[str, ...], str] = {}
    for pointer in known:
        keys = keys_of(pointer)
        for depth, key in enumerate(keys, start=1):
            spelt.setdefault(tuple(map(_plain, keys[:depth])), key)
    wanted = keys_of(path)
    plain = [_plain(key) for key in wanted]
    return "".join(
        "/" + escaped(spelt.get(tuple(plain[: depth + 1]), key)) for depth, key in enumerate(wanted)
    )


def joined(first: object, second: object) -> list[object]:
    """Return the members of both in their order, each once, however it is written."""
    members = [*_listed(first), *_listed(second)]
    found: dict[str, object] = {}
    for member in members:
        found.setdefault(fold(str(member)).strip(" ."), member)
    return list(found.values())


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def _plain(key: str) -> str:
    return "".join(letter for letter in fold(key) if letter.isalnum()) or key
