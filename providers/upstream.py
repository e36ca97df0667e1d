"""A chat API asked in the caller's own words: what it answers is handed on as it came."""

from collections.abc import Mapping

import httpx2

from providers.errors import ProviderUnavailable
from providers.http import ReplyEndless, client
from providers.places import OPENAI

# What reading an answer may raise.
BROKEN = (httpx2.HTTPError, ReplyEndless)


class Upstream:
    """Shared by threads. `seconds` is the longest that one answer may take, stream or not."""

    def __init__(self, *, base_url: str, api_key: str, seconds: float) -> None:
        self._address = f"{(base_url or OPENAI).rstrip('/')}/chat/completions"
        self._key = api_key or "none"
        self._seconds = seconds
        self._client = client()

    def ask(self, body: Mapping[str, object]) -> httpx2.Response:
        """Send a request and return the answer as it begins; the caller reads it and closes it.

        Raises ProviderUnavailable when none begins.
        """
        request = self._client.build_request(
            "POST",
            self._address,
            json=body,
            headers={"Authorization": f"Bearer {self._key}"},
            timeout=self._seconds,
        )
        try:
            return self._client.send(request, stream=True)
        except BROKEN as error:
            raise ProviderUnavailable(f"no answer: {type(error).__name__}") from None
