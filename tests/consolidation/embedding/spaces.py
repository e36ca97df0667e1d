"""What the tests of `manage.py reembed` share."""

from io import StringIO

from django.core.management import call_command

from memory.models import Embedding, EmbeddingSpace
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode

TEXTS = ["We planted tomatoes.", "The train was late.", "She plays the cello."]
NEW = {"model": "hashing", "dimension": 64}
QUESTION = "what did we plant?"


def reembed(**options) -> str:
    out = StringIO()
    call_command("reembed", stdout=out, stderr=out, **{"yes": True, **options})
    return out.getvalue()


def act(name: str, **options) -> str:
    return reembed(act=name, **options)


def states() -> dict[int, str]:
    return dict(EmbeddingSpace.objects.values_list("dimension", "state"))


def vectors() -> dict[int, int]:
    """Return how many vectors each dimension's space has."""
    found = EmbeddingSpace.objects.all()
    return {space.dimension: Embedding.objects.filter(space=space).count() for space in found}


def found_by_vectors(owner) -> list[str]:
    return [
        hit.text
        for hit in search(owner=owner, query=TEXTS[0], limit=9, mode=SearchMode.SEMANTIC).hits
    ]
