import pytest

from accounts.errors import KeyScopeUnknown, OwnerMissing
from accounts.keys import issue_key
from accounts.models import Owner, User
from accounts.owners import resolve_owner


@pytest.mark.requirement("OC-78")
def test_a_user_s_memory_follows_them_across_threads(porter):
    first = resolve_owner(agent=porter, user="alice", thread="one")
    second = resolve_owner(agent=porter, user="alice", thread="two")
    thread = resolve_owner(agent=porter, thread="one")

    assert first == second != thread
    assert User.objects.get(external_id="alice").organization == porter.organization


@pytest.mark.requirement("OC-79")
def test_without_user_and_thread_it_raises_and_writes_nothing(porter):
    with pytest.raises(ValueError, match="neither") as caught:
        resolve_owner(agent=porter)

    assert isinstance(caught.value, OwnerMissing)
    assert not Owner.objects.exists()


def test_a_scope_that_does_not_exist_gives_no_key(porter):
    with pytest.raises(KeyScopeUnknown):
        issue_key(organization=porter.organization, actor="test", scopes=("agent",))
