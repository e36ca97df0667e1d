"""What can go wrong while a turn is answered."""

from accounts.errors import Fault


class NotAnswered(Fault):
    """Nobody answers what was said."""


class Busy(NotAnswered):
    """As many answers are under way as this process has threads for."""

    code = "drop_in_busy"
    status = 503
    hint = "Try again in a second, or raise RECOLLECT_DROP_IN_AT_ONCE with the server's threads."


class UpstreamMissing(NotAnswered):
    """No chat model is configured, and the rules are switched off."""

    code = "upstream_missing"
    status = 503
    hint = "Set OPENAI_API_KEY, OPENAI_BASE_URL or RECOLLECT_CHAT_PROVIDER, for the model that is to answer."


class UpstreamUnreachable(NotAnswered):
    """The configured model gives no answer."""

    code = "upstream_unreachable"
    status = 502
    hint = "Look at OPENAI_BASE_URL or RECOLLECT_CHAT_URL; what was said is kept, and may be sent again as it is."


class UpstreamRefused(NotAnswered):
    """The configured model answers that it will not, or without a word."""

    code = "upstream_refused"
    status = 502
    hint = "Look at the key, the model's name and the provider's limits; what was said is kept."


class OutOfBudget(NotAnswered):
    """Whoever pays for the answer cannot: a balance or a budget is spent."""

    code = "out_of_budget"
    status = 402
    hint = "It goes on tomorrow, or once the balance or the budget grows; what was said is kept."
