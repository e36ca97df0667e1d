import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User
from tests.factories import OrganizationFactory


@pytest.fixture
def desk(client: Client, operator: User) -> Client:
    """Return the browser of a signed-in operator."""
    client.force_login(operator)
    return client


@pytest.fixture
def watcher(db) -> User:
    """Return one of the staff who may look at sessions and jobs, and change none."""
    home = OrganizationFactory()
    watcher = User.objects.create_user("charlie", is_staff=True, organization=home)
    looks = Permission.objects.filter(codename__in=("view_session", "view_job"))
    watcher.user_permissions.set(looks)
    return watcher
