"""Plain words of any script, and the line of a text that answers a question best."""

from ranking.tokens import runs

STOP_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "has", "he", "in"),
        *("is", "it", "its", "of", "on", "or", "that", "the", "to", "was", "were", "will", "with"),
    )
)
SNIPPET_CHARACTERS = 300


def plain_tokens(text: str) -> list[str]:
    """Return the words of a text, folded, two letters or longer, without English stop words.

    Of scripts without spaces each character and each pair is a word.
    """
    return [word for word in runs(text) if word not in STOP_WORDS]


def best_line(text: str, query: str) -> str:
    """Return the line that holds most of the query's words, the first of them; cut at 300."""
    wanted = set(plain_tokens(query))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = max(lines, key=lambda line: len(wanted & set(plain_tokens(line))), default="")
    return found[:SNIPPET_CHARACTERS]
