"""Bearer key to caller: the credential alone says who calls."""

from dataclasses import dataclass

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.keys import find_key
from accounts.models import Agent, ApiKey, Organization
from accounts.owners import scope_of
from accounts.scope import Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, by key. An operator's key has no agent."""

    key: ApiKey

    @property
    def organization(self) -> Organization:
        return self.key.organization

    @property
    def agent(self) -> Agent:
        """The key's agent; only called behind the permission that demands one."""
        agent = self.key.agent
        assert agent is not None, "IsAgent lets no key without an agent through"  # noqa: S101 - narrows
        return agent

    @property
    def scope(self) -> Scope:
        return scope_of(self.agent)

    @property
    def name(self) -> str:
        return f"key {self.key.prefix}"


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`; a cookie never authenticates the API."""

    def authenticate(self, request: Request) -> tuple[Caller, ApiKey] | None:
        kind, _, text = get_authorization_header(request).partition(b" ")
        if kind.lower() != b"bearer":
            return None
        key = find_key(text.strip().decode("latin-1"))
        if key is None:
            raise AuthenticationFailed("this key is unknown, expired or revoked")
        return Caller(key), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself
    target_class = "api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def caller_of(request: Request) -> Caller:
    """Return the caller of an authenticated request."""
    caller = request.user
    assert isinstance(caller, Caller), "only KeyAuthentication authenticates"  # noqa: S101 - narrows
    return caller
