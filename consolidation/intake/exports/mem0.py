"""Memories of mem0, as `get_all` returns them: each is a sentence about the user."""

from collections.abc import Iterator, Mapping

from consolidation.intake.exports.shape import moment, objects, of_one_person, row, text

Json = Mapping[str, object]


def recognises(document: object) -> bool:
    memories = _memories(document)
    return bool(memories) and all("memory" in each and "role" not in each for each in memories)


def rows(document: object) -> Iterator[dict[str, object]]:
    memories = _memories(document)
    of_one_person(each.get("user_id") for each in memories)
    known = [(moment(each.get("created_at")), text(each.get("memory"))) for each in memories]
    # The oldest first: of two that contradict each other the later one counts.
    for when, words in sorted(known, key=lambda each: each[0] or ""):
        if words:
            yield row("user", words, "mem0", when)


def _memories(document: object) -> list[Json]:
    if isinstance(document, Mapping):
        document = document.get("results", document.get("memories"))
    return objects(document)
