"""The key's organization: what all its agents share."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Organization
from accounts.organizations import configure_organization
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.agents import TEXT_CHARACTERS
from api.v1.fields import Body, Text


class OrganizationFields(Body):
    """`user_text` is USER.md: who the users are, in the edge prompt of every agent."""

    name = Text(max_length=200, required=False)
    user_text = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)


class OrganizationDetail(APIView):
    permission_classes = (IsOperator,)

    def get(self, request: Request) -> Response:
        """Show the organization of the key."""
        return Response(_shown(caller_of(request).organization))

    @extend_schema(request=OrganizationFields)
    def patch(self, request: Request) -> Response:
        """Change the given fields."""
        body = OrganizationFields(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        changed = configure_organization(
            organization=caller.organization, actor=caller.name, fields=body.validated_data
        )
        return Response(_shown(changed))


def _shown(organization: Organization) -> dict[str, object]:
    names = ("slug", "name", "user_text", "created_at")
    return {"id": organization.pk, **{name: getattr(organization, name) for name in names}}
