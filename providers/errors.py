"""How a provider fails. No message holds a text, a key or an address."""


class ProviderFault(Exception):
    """The base of every failure of a provider."""

    code = "provider_fault"


class ProviderUnavailable(ProviderFault):
    """It may answer later. `retry_after` is in seconds, None when it did not say."""

    code = "provider_unavailable"

    def __init__(
        self, reason: str, *, retry_after: float | None = None, counts_as_attempt: bool = True
    ) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.counts_as_attempt = counts_as_attempt


class OutOfCredit(ProviderUnavailable):
    """Whoever pays cannot pay for this call: a budget or a balance is spent."""

    code = "out_of_budget"

    def __init__(self, reason: str, *, retry_after: float) -> None:
        super().__init__(reason, retry_after=retry_after, counts_as_attempt=False)


class ProviderRefused(ProviderFault):
    """It will not answer until an operator mends the key, the model's name or the rights."""

    code = "provider_refused"


class ProviderMisconfigured(ProviderFault):
    """What it needs is not there."""

    code = "provider_misconfigured"


class RequestRejected(ProviderFault):
    """The same request will be rejected again. `parameter` is what displeased, None if not said."""

    code = "request_rejected"

    def __init__(self, reason: str, *, parameter: str | None = None) -> None:
        super().__init__(reason)
        self.parameter = parameter


class InputTooLong(RequestRejected):
    """The texts are more than the model can take at once."""

    code = "input_too_long"


class ReplyRefused(RequestRejected):
    """The model, or a filter around it, will not answer these texts."""

    code = "reply_refused"


class ReplyMalformed(ProviderFault):
    """The model answers, but not in the form that was asked for."""

    code = "reply_malformed"
