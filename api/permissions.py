"""What the scopes of a key allow."""

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import ApiKey

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


class HasScope(BasePermission):
    """The key carries the scope."""

    scope = ""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        key = request.auth
        return isinstance(key, ApiKey) and self.scope in key.scopes

    @property
    def message(self) -> str:
        return f"this key lacks the scope {self.scope}"


class IsAgent(HasScope):
    scope = "agent"


class IsOperator(HasScope):
    scope = "operator"
