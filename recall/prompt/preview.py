"""The prompt that an agent would get now, read and not written: no receipt, no mark of use."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from memory.models import EmbeddingSpace, Session
from memory.tokenizer import count_message
from providers.errors import ProviderFault
from providers.registry import OURS, embedder, embedder_for
from recall.prompt.assembly import Composed, compose, learned_of
from recall.prompt.blocks.envelope import render_item
from recall.prompt.given import NOTHING_GIVEN, Given
from recall.receipts.items import label_of, size_of
from recall.receipts.write import named
from recall.search.questions.question import SearchMode

FRAME = "Headings and quoting"


@dataclass(frozen=True, slots=True)
class Share:
    """How many estimated tokens one block of a prompt takes."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Preview:
    """A prompt as it would be, its blocks in their order, and whether meaning was left out of it."""

    prompt: Composed
    shares: Sequence[Share]
    is_by_words: bool

    @property
    def items(self) -> list[Mapping[str, object]]:
        """What a receipt of it would hold."""
        return _named(self.prompt)[0]

    @property
    def left_out(self) -> list[Mapping[str, object]]:
        """What a receipt of it would name as cut."""
        return _named(self.prompt)[1]


def preview_context(
    *,
    session: Session,
    query: str | None = None,
    max_tokens: int | None = None,
    lane: str = "edge",
    given: Given = NOTHING_GIVEN,
    now: datetime | None = None,
) -> Preview:
    """Build the prompt of a lane and write nothing; where its vectors cost money, by words alone.

    Raises BudgetTooSmall as assemble_context does.
    """
    mode = free_mode()
    made = compose(
        session=session,
        query=query,
        max_tokens=max_tokens,
        lane=lane,
        given=given,
        now=now or timezone.now(),
        mode=mode,
    )
    return Preview(made, shares(made), mode is SearchMode.TEXT)


def free_mode(wanted: SearchMode = SearchMode.HYBRID) -> SearchMode:
    """Return the mode in which looking costs nobody anything: words, where a remote model embeds."""
    space = EmbeddingSpace.objects.current()
    try:
        model = embedder_for(space) if space else embedder()
    except ProviderFault:
        return SearchMode.TEXT
    return wanted if model.name in OURS else SearchMode.TEXT


def shares(made: Composed) -> list[Share]:
    """Return what each block takes; what is left of the memory message is its frame."""
    memory = Counter[str]()
    for item in _named(made)[0]:
        memory[label_of(item)] += size_of(item)
    without = {hit.id for hit in made.memory.hits_left_out}
    kept = [hit for hit in made.found.found.hits if hit.id not in without]
    memory["Passages of sessions"] = sum(count_message(render_item(hit)) for hit in kept)
    whole = made.account.standing + made.account.turn
    memory[FRAME] = max(whole - memory.total(), 0)
    found = [
        Share("Tools", made.account.tools),
        Share("Instructions", made.account.fixed),
        *(Share(name, tokens) for name, tokens in memory.items()),
        Share("Summary", made.account.summary),
        Share("Conversation", made.account.window),
    ]
    return [share for share in found if share.tokens]


def _named(made: Composed) -> tuple[list[Mapping[str, object]], list[Mapping[str, object]]]:
    items, left_out = named(made.found.found, made.memory.hits_left_out, learned_of(made.memory))
    return items, [*made.window_left_out, *left_out]
