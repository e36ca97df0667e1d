"""What a prompt has no room for, by name: nothing drops out unseen."""

from collections.abc import Mapping, Sequence

from memory.models import Event
from memory.windows import COMMAND
from recall.prompt.view import shown

Named = Mapping[str, object]
EVENTS, SUMMARY = "events", "summary"


def events_left_out(
    events: Sequence[Event], window: Sequence[Event], unread: Sequence[tuple[int, int]]
) -> list[Named]:
    """Return the stretches of a lane's log that are neither folded nor whole in the prompt.

    `window` are the events of the prompt, results cut to fit among them; `unread` are the stretches
    of the view that are older than what was read of it, as their first and last numbers.
    """
    whole = {event.seq: event.tokens for event in window}
    return stretches(
        [
            event.seq
            for event in events
            if whole.get(event.seq) != event.tokens and shown(event).type != COMMAND
        ],
        unread,
    )


def stretches(seqs: Sequence[int], before: Sequence[tuple[int, int]] = ()) -> list[Named]:
    """Return the numbers of events, rising, as stretches without a gap, those of `before` first."""
    found: list[tuple[int, int]] = [*before]
    for seq in seqs:
        if found and found[-1][1] == seq - 1:
            found[-1] = (found[-1][0], seq)
        else:
            found.append((seq, seq))
    return [
        {"store": EVENTS, "first": first, "last": last, "cut": last - first + 1}
        for first, last in found
    ]


def summary_left_out(tokens: int) -> list[Named]:
    """Return the note of how many tokens of the summary had no room; nothing for none."""
    return [{"store": SUMMARY, "tokens": tokens}] if tokens else []
