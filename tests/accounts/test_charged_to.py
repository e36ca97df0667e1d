from contextlib import suppress
from uuid import uuid4

from accounts.billing import Charge, charged_to, current
from accounts.models import Owner


def test_outside_of_any_charge_nobody_is_named():
    assert current() == Charge(None, "", None)


def test_it_names_the_owner_the_purpose_and_the_session():
    session = uuid4()
    with charged_to(Owner(pk=7), purpose="embed", session=session):
        assert current() == Charge(7, "embed", session)
    assert current() == Charge()


def test_an_inner_charge_keeps_what_it_leaves_out():
    session = uuid4()
    with charged_to(7, purpose="learning", session=session):
        with charged_to(None, purpose="embed"):
            assert current() == Charge(7, "embed", session)
        with charged_to(7):
            assert current() == Charge(7, "learning", session)


def test_another_owners_charge_keeps_no_session():
    with charged_to(7, purpose="learning", session=uuid4()), charged_to(8):
        assert current() == Charge(8, "learning", None)


def test_it_ends_with_a_failure():
    with suppress(ValueError):
        fail_inside()

    assert current() == Charge()


def fail_inside() -> None:
    with charged_to(7):
        raise ValueError("oops")


def test_the_operator_may_spare_the_user():
    with charged_to(7, spares_user=True), charged_to(None, purpose="embed"):
        assert current() == Charge(7, "embed", None, spares_user=True)
    assert not current().spares_user
