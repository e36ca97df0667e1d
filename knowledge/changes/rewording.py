"""A sentence with a person's words in place of those that they corrected (pure)."""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher


def reworded(sentence: str, was: str, now: str) -> str | None:
    """Return the sentence with `now` where it said `was`; None where it does not say that."""
    if _stands_in(was, sentence):
        return _replaced(sentence, {was: now})
    changes: dict[str, str] = {}
    for before, after in _changes(was.split(), now.split()):
        found = _words_for(before, after, sentence)
        if not found:
            return None
        changes |= found
    return _replaced(sentence, changes)


def _changes(was: list[str], now: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the runs of words that are others, as they were and as they are."""
    found = SequenceMatcher(None, was, now).get_opcodes()
    return [(was[a:b], now[c:d]) for tag, a, b, c, d in found if tag != "equal"]


def _words_for(before: list[str], after: list[str], sentence: str) -> Mapping[str, str]:
    """Return what is to be replaced for one run; nothing where the sentence does not say it."""
    whole = " ".join(before)
    if _stands_in(whole, sentence):
        return {whole: " ".join(after)}
    pairs = dict(zip(before, after, strict=False))
    if len(before) != len(after):
        # Of "cat Minka", the cat stands elsewhere in the sentence, and stays one.
        names = [word for word in before if word[:1].isupper()]
        is_name = len(names) == 1 and all(word[:1].isupper() for word in after)
        pairs = {names[0]: " ".join(after)} if is_name and after else {}
    return pairs if all(_stands_in(word, sentence) for word in pairs) else {}


def _stands_in(words: str, sentence: str) -> bool:
    return bool(words) and _pattern([words]).search(sentence) is not None


def _replaced(sentence: str, changes: Mapping[str, str]) -> str:
    others = {before.casefold(): after for before, after in changes.items()}
    found = _pattern(changes)
    return found.sub(lambda match: others.get(match.group().casefold(), match.group()), sentence)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    either = "|".join(re.escape(one) for one in words)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
