"""What the calls of models cost, and what limits it: for operators."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.credits import set_balance, set_budget, today
from accounts.models import Agent, Balance, Budget, Organization, User
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.fields import Body, Number, Text
from audit.costs import By, Total, entries, totals
from consolidation.embedding.credit import resume

# A billion dollars: above it, somebody has mistaken the unit.
MOST = 10**15
DAYS = 30
LONGEST = timedelta(days=366)


class CostQuery(Body):
    """Days in UTC, both included; the last 30 days where nothing is said."""

    by = serializers.ChoiceField(choices=[one.value for one in By], default=By.DAY.value)
    to = serializers.DateField(required=False)

    def get_fields(self) -> dict[str, serializers.Field]:
        # `from` is a word of the language.
        return {**super().get_fields(), "from": serializers.DateField(required=False)}

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        last = attrs.get("to") or today()
        first = attrs.get("from")
        if isinstance(last, date) and not isinstance(first, date):
            first = max(last, date(1, 2, 1)) - timedelta(days=DAYS)
        if not (isinstance(first, date) and isinstance(last, date)):
            raise serializers.ValidationError("two days")
        if not timedelta(0) <= last - first <= LONGEST:
            raise serializers.ValidationError({"from": ["lies before `to`, at most a year"]})
        return {"by": attrs["by"], "first": first, "last": last}


class Amount(Body):
    """Millionths of a dollar; null is no limit."""

    micro_usd = Number(min_value=0, max_value=MOST, allow_null=True)


class BudgetIn(Amount):
    """Of a day in UTC; for one agent, one user, both together or the whole organization."""

    agent = Text(max_length=41, required=False)
    user = Text(max_length=255, required=False)


class CostList(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(parameters=[CostQuery])
    def get(self, request: Request) -> Response:
        """Add up what the calls of the organization cost, by agent, user, purpose, day or model."""
        query = CostQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        organization = caller_of(request).organization
        by = By(asked["by"])
        found = totals(entries(organization.pk, asked["first"], asked["last"]), by)
        names = _names(by, found)
        shown = {"by": by.value, "from": asked["first"], "to": asked["last"]}
        micro_usd = float(sum((one.micro_usd for one in found), Decimal(0)))
        results = [_total(one, names) for one in found]
        return Response({**shown, "micro_usd": micro_usd, "results": results})


class BudgetList(APIView):
    permission_classes = (IsOperator,)

    def get(self, request: Request) -> Response:
        """List the organization's budgets, with what is left of them today."""
        budgets = Budget.objects.filter(organization=caller_of(request).organization)
        rows = budgets.select_related("agent", "user").order_by("pk")
        return Response({"results": [_budget(one) for one in rows]})

    @extend_schema(request=BudgetIn)
    def put(self, request: Request) -> Response:
        """Set what may be spent per day; work that waited for it goes on."""
        body = BudgetIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller, given = caller_of(request), body.validated_data
        budget = set_budget(
            organization=caller.organization,
            agent=_agent(caller.organization, given.get("agent")),
            user=_user(caller.organization, given["user"]) if "user" in given else None,
            micro_usd=_decimal(given["micro_usd"]),
            actor=caller.name,
        )
        resume()
        return Response({"budget": _budget(budget) if budget else None})


class UserBalance(APIView):
    permission_classes = (IsOperator,)

    def get(self, request: Request, user: str) -> Response:
        """Show what a user may still spend; null is no limit."""
        return Response(_balance(_user(caller_of(request).organization, user)))

    @extend_schema(request=Amount)
    def put(self, request: Request, user: str) -> Response:
        """Set what a user may still spend; work that waited for it goes on."""
        caller = caller_of(request)
        found = _user(caller.organization, user)
        body = Amount(data=request.data)
        body.is_valid(raise_exception=True)
        amount = _decimal(body.validated_data["micro_usd"])
        set_balance(user=found, micro_usd=amount, actor=caller.name)
        resume()
        return Response(_balance(found))


def _agent(organization: Organization, slug: str | None) -> Agent | None:
    if slug is None:
        return None
    found: Agent = get_object_or_404(Agent, organization=organization, slug=slug)
    return found


def _user(organization: Organization, external_id: str) -> User:
    found: User = get_object_or_404(User, organization=organization, external_id=external_id)
    return found


def _decimal(micro_usd: int | None) -> Decimal | None:
    return None if micro_usd is None else Decimal(micro_usd)


def _names(by: By, found: Sequence[Total]) -> dict[object, str | None]:
    """Return what ids are called outside; whoever is gone has no name any more."""
    ids = [one.key for one in found if isinstance(one.key, UUID)]
    if by is By.AGENT:
        return dict(Agent.objects.filter(pk__in=ids).values_list("pk", "slug"))
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "external_id"))


def _total(one: Total, names: dict[object, str | None]) -> dict[str, object]:
    key = names.get(one.key) if isinstance(one.key, UUID) else one.key
    return {**asdict(one), "key": key, "micro_usd": float(one.micro_usd)}


def _budget(one: Budget) -> dict[str, object]:
    left = max(one.left(today()), Decimal(0))
    return {
        "agent": one.agent.slug if one.agent else None,
        "user": one.user.external_id if one.user else None,
        "micro_usd": float(one.micro_usd),
        "left_micro_usd": float(left),
    }


def _balance(user: User) -> dict[str, object]:
    found = Balance.objects.filter(user=user).first()
    return {"user": user.external_id, "micro_usd": float(found.micro_usd) if found else None}
