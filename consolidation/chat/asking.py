"""An answer under way: asked for, read, and kept however it ends."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial

import httpx2
from django.conf import settings

from consolidation.chat.answer import PartialAnswer, keep
from consolidation.chat.errors import Busy, UpstreamUnreachable
from consolidation.chat.payment import Settled, pay
from consolidation.chat.prompt import Message, RecalledBlock, with_memory
from memory.models import Session
from providers.errors import ProviderUnavailable
from providers.places import chat_place
from providers.upstream import BROKEN, Upstream

# Names that leave the choice of the model to the server.
ANY = frozenset({"", "recollect"})
NOTHING_MORE: Mapping[str, object] = {}


@cache
def slots() -> threading.BoundedSemaphore:
    """Return what bounds the answers under way in this process: each of them holds a thread."""
    return threading.BoundedSemaphore(settings.DROP_IN_AT_ONCE)


@cache
def upstream() -> Upstream:
    place = chat_place()
    return Upstream(base_url=place.url, api_key=place.key, seconds=settings.DROP_IN_SECONDS)


def request_for(
    messages: Sequence[Message],
    remembered: RecalledBlock,
    more: Mapping[str, object] = NOTHING_MORE,
) -> dict[str, object]:
    """Return the request for the model: what was said with memory in it, `more` beside it."""
    named = more.get("model")
    model = named if isinstance(named, str) and named not in ANY else settings.OPENAI_CHAT_MODEL
    return {**more, "model": model, "messages": with_memory(messages, remembered)}


@dataclass(slots=True)
class PaidTurn:
    """An answer that is paid for by the session's owner, or by the installation without a session.

    `close` tells `keeps` what has come and frees the slot; a second time it does nothing.
    """

    sent: Mapping[str, object]
    keeps: Callable[[PartialAnswer], None]
    session: Session | None = None
    settles: Settled | None = None
    gathered: PartialAnswer = field(default_factory=PartialAnswer)
    held: ExitStack = field(default_factory=ExitStack)

    def begin(self) -> httpx2.Response:
        """Ask the model. Raises Busy, OutOfBudget or UpstreamUnreachable."""
        if not slots().acquire(blocking=False):
            raise Busy("too many answers are under way")
        self.held.callback(slots().release)
        try:
            self.settles = pay(self.sent, self.session)
            answer = _begun(self.sent)
        except BaseException:
            self.close()
            raise
        self.held.callback(answer.close)
        return answer

    def whole(self, answer: httpx2.Response) -> bytes:
        """Return the answer's body, read to its end. Raises UpstreamUnreachable."""
        try:
            body = answer.read()
        except BROKEN as error:
            self.close()
            raise UpstreamUnreachable(f"it broke off: {type(error).__name__}") from None
        finally:
            self.held.close()
        if answer.is_success:
            self.gathered.take_whole(body)
        self.close()
        return body

    def close(self) -> None:
        # First of all: whoever waits for a slot waits for no database.
        self.held.close()
        gathered, self.gathered = self.gathered, PartialAnswer()
        settles, self.settles = self.settles, None
        if settles:
            settles(gathered)
        self.keeps(gathered)


def turn_of(session: Session, remembered: RecalledBlock, sent: Mapping[str, object]) -> PaidTurn:
    """Return the turn of a session, whose answer goes into its log."""
    return PaidTurn(
        sent, partial(keep, session=session, sent=sent, receipt=remembered.receipt), session
    )


def _begun(sent: Mapping[str, object]) -> httpx2.Response:
    try:
        return upstream().ask(sent)
    except ProviderUnavailable as error:
        raise UpstreamUnreachable(str(error)) from error
