"""What an answer costs: reserved before it is asked for, settled by what came."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from accounts.billing import charged_to
from consolidation.chat.answer import PartialAnswer
from consolidation.chat.errors import OutOfBudget, UpstreamUnreachable
from memory.messages import text_of
from memory.models import Session
from providers.errors import OutOfCredit, ProviderUnavailable
from providers.metered import Use, estimate
from providers.registry import reserve

PURPOSE, PROVIDER = "chat", "openai"
# Of an answer for which nobody says how long it may be.
OUTPUT_TOKENS = 1_000
MOST_TOKENS = 1_000_000
Settled = Callable[[PartialAnswer], None]


def pay(sent: Mapping[str, object], session: Session | None) -> Settled:
    """Reserve what an answer may cost; the session's owner pays, or the installation for none.

    Raises OutOfBudget, or UpstreamUnreachable without a ledger.
    """
    expected = _expected(sent)
    try:
        if session is None:
            settle = reserve(expected)
        else:
            with charged_to(session.owner, purpose=PURPOSE, session=session.pk):
                settle = reserve(expected)
    except OutOfCredit as error:
        raise OutOfBudget(str(error)) from error
    except ProviderUnavailable as error:
        raise UpstreamUnreachable(str(error)) from error
    return lambda gathered: settle(_taken(expected, gathered))


def _expected(sent: Mapping[str, object]) -> Use:
    messages = sent.get("messages")
    texts = [text_of(one) for one in messages] if isinstance(messages, list) else []
    most = sent.get("max_completion_tokens") or sent.get("max_tokens")
    return Use(
        PROVIDER,
        str(sent["model"]),
        PURPOSE,
        input_tokens=estimate(texts),
        output_tokens=min(most, MOST_TOKENS)
        if isinstance(most, int) and most > 0
        else OUTPUT_TOKENS,
    )


def _taken(expected: Use, gathered: PartialAnswer) -> Use | None:
    """Return what was counted; an estimate where an answer came and nobody counts, None for none."""
    if gathered.prompt_tokens:
        tokens = gathered.completion_tokens
        return replace(expected, input_tokens=gathered.prompt_tokens, output_tokens=tokens)
    if not any(gathered.words) and not gathered.calls:
        return None
    return replace(expected, output_tokens=estimate(gathered.words))
