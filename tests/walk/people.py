"""Those who ask: each a client that sends its credentials and nothing of another request."""

from functools import cache

from django.conf import settings
from django.contrib.auth.models import Permission
from django.test import Client
from django.test.client import ClientHandler

from accounts.keys import issue_key
from accounts.models import Agent, Organization, User
from inspector.http import ONLY_AGENT
from tests.factories import make_agent

# The columns of docs/permissions.md: of its pages, and of its API.
BROWSERS = (
    "nobody", "alice", "bob", "alice by a link", "staff", "staff with rights",
    "staff elsewhere", "superuser",
)  # fmt: skip
KEYS = ("no key", "porter", "rival", "operator", "operator elsewhere")


def cookies_of(porter: Agent, alice: User) -> dict[str, str]:
    """Return the session cookie of each who asks by a browser; nobody has none."""
    home = porter.organization
    other = make_agent("cook", organization=home)
    elsewhere, _ = Organization.objects.get_or_create(slug="elsewhere", name="Elsewhere")
    everything = Permission.objects.all()
    rights = User.objects.create_user("clerk", is_staff=True, organization=home)
    foreign = User.objects.create_user("foreign", is_staff=True, organization=elsewhere)
    for one in (rights, foreign):
        one.user_permissions.set(everything)
    people = {
        "alice": alice,
        "bob": User.objects.create_user("bob", organization=home),
        "alice by a link": alice,
        "staff": User.objects.create_user("charlie", is_staff=True, organization=home),
        "staff with rights": rights,
        "staff elsewhere": foreign,
        "superuser": User.objects.create_superuser("keeper"),
    }
    only = {"alice by a link": str(other.pk)}
    return {"nobody": ""} | {name: _cookie(one, only.get(name)) for name, one in people.items()}


def keys_of(porter: Agent, rival: Agent) -> dict[str, str]:
    """Return the header of each who asks with a key."""
    made = {
        "porter": issue_key(organization=porter.organization, agent=porter, actor="test"),
        "rival": issue_key(organization=rival.organization, agent=rival, actor="test"),
        "operator": issue_key(organization=porter.organization, scopes=("operator",), actor="test"),
        "operator elsewhere": issue_key(
            organization=rival.organization, scopes=("operator",), actor="test"
        ),
    }
    return {"no key": ""} | {name: f"Bearer {one.text}" for name, one in made.items()}


def browser(cookie: str, *, is_strict: bool = False) -> Client:
    """Return a browser with a session; a strict one is asked for the token of every form."""
    client = Client(raise_request_exception=False)
    client.handler = _handler(is_strict)
    if cookie:
        client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    return client


@cache
def _handler(is_strict: bool) -> ClientHandler:
    """Load the middleware once: that takes longer than most answers do."""
    return ClientHandler(enforce_csrf_checks=is_strict)


def _cookie(person: User, only_agent: str | None) -> str:
    client = Client()
    client.force_login(person)
    if only_agent:
        session = client.session
        session[ONLY_AGENT] = only_agent
        session.save()
    return client.cookies[settings.SESSION_COOKIE_NAME].value
