"""The chat model that asks nobody."""

import pytest

from providers.errors import ProviderRefused
from providers.null import NullChat
from tests.providers.tasks import make_task


def test_it_refuses_every_task_and_says_which_setting_does_it() -> None:
    with pytest.raises(ProviderRefused, match="RECOLLECT_CHAT=null"):
        NullChat().complete(make_task())
