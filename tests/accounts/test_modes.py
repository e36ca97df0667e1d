import pytest

from accounts.modes import NAMES, RetentionMode, lowered, mode_named


@pytest.mark.requirement("OC-77")
def test_guest_is_an_alias_of_incognito():
    assert mode_named("guest") is mode_named("incognito") is RetentionMode.INCOGNITO
    with pytest.raises(ValueError, match="a mode is one of"):
        mode_named("secret")


@pytest.mark.parametrize("asked", NAMES)
@pytest.mark.parametrize("most", NAMES)
def test_a_request_may_lower_and_never_raise(asked, most):
    order = [RetentionMode.INCOGNITO, RetentionMode.LOCAL, RetentionMode.SYNCED]

    found = lowered(asked=mode_named(asked), most=mode_named(most))

    assert order.index(found) == min(order.index(mode_named(asked)), order.index(mode_named(most)))
