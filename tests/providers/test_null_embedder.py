"""The provider that asks nobody."""

import pytest

from providers.errors import ProviderRefused
from providers.null import NullEmbedder


def test_it_refuses_every_text() -> None:
    with pytest.raises(ProviderRefused, match="switched off"):
        NullEmbedder().embed(["garden"])
