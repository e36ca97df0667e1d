"""What the parts of a memory message are made of (pure).

Every part is a heading of ours above an envelope, in which everything that was stored or sent
stands as quoted data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.tokenizer import count_message
from providers.quoting import quote, visible
from recall.prompt.blocks.learned import PromptBlock
from recall.prompt.blocks.seal import sealed


@dataclass(frozen=True, slots=True)
class BlockPart:
    """What a receipt names of a part: its version and price, or how many pieces had no room."""

    store: str
    tokens: int
    id: UUID | None = None
    version: int | None = None
    cut: int = 0

    @property
    def named(self) -> dict[str, object]:
        """The part as a receipt names it, without a word of it."""
        found: dict[str, object] = {"store": self.store, "tokens": self.tokens}
        found |= {"id": str(self.id)} if self.id else {}
        found |= {"version": self.version} if self.version is not None else {}
        return found | ({"cut": self.cut} if self.cut else {})


def price(text: str) -> int:
    return count_message(text) if text else 0


def enclosed(name: str, lines: Sequence[Mapping[str, object]]) -> str:
    """Return lines of JSON in an envelope; whatever shows nothing goes from keys and values alike."""
    return sealed(name, [visible(quote(line)) for line in lines])


def whole(
    store: str, heading: str, lines: Sequence[Mapping[str, object]], room: int
) -> PromptBlock:
    """Return a part that is shown whole or not at all; without lines there is none."""
    if not lines:
        return PromptBlock("")
    text = "\n".join([heading, enclosed(store, lines)])
    part = BlockPart(store, count_message(text))
    return PromptBlock(text, [part]) if part.tokens <= room else PromptBlock("", (), [part])


def joined(heading: str, blocks: Sequence[PromptBlock]) -> PromptBlock:
    """Return blocks as one, below the heading; without a text there is no heading either."""
    texts = [block.text for block in blocks if block.text]
    return PromptBlock(
        "\n".join([heading, *texts]) if texts else "",
        [one for block in blocks for one in block.kept],
        [one for block in blocks for one in block.left_out],
    )


def joined_blocks(blocks: Sequence[PromptBlock]) -> PromptBlock:
    """Return blocks as one message, an empty line between them."""
    return PromptBlock(
        "\n\n".join(block.text for block in blocks if block.text),
        [one for block in blocks for one in block.kept],
        [one for block in blocks for one in block.left_out],
        [hit for block in blocks for hit in block.hits_left_out],
    )


def with_cut(block: PromptBlock, part: BlockPart, cut: int) -> PromptBlock:
    """Return the block with a note of how many pieces of a part had no room."""
    if not cut:
        return block
    return replace(block, left_out=[*block.left_out, replace(part, tokens=0, cut=cut)])
