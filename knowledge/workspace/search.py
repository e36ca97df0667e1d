"""Find the files of a workspace that hold the words of a question."""

from dataclasses import dataclass

from accounts.models import Owner
from knowledge.workspace.folder import folder_of, names_in, reachable, read_text
from knowledge.workspace.names import SCAFFOLD, File, written
from ranking.bm25 import Bm25, Index
from ranking.plain import best_line, plain_tokens

BM25 = Bm25(k1=1.5, b=0.75)


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file found, with the line of it that answers best."""

    file: str
    snippet: str
    score: float


def search_files(*, owner: Owner, query: str, limit: int) -> list[FileHit]:
    """Return the best files, each with a score above 0. Raises WorkspaceUnavailable."""
    index = Index(plain_tokens, BM25)
    with reachable():
        folder = folder_of(owner)
        texts = {name: read_text(folder / name) for name in names_in(folder)}
    for name, text in texts.items():
        # What nobody has written yet answers no question.
        if name not in SCAFFOLD or written(File(name), text):
            index.add(name, text)
    found = [(str(name), score) for name, score in index.search(query, limit)]
    return [FileHit(name, best_line(texts[name], query), score) for name, score in found]
