"""Who may open a page of the console, and whose rows it shows them."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache

from accounts.models import Agent, User
from inspector.http import PageRequest

View = Callable[..., HttpResponse]


def staff(view: View) -> View:
    """Open a page to staff; whoever else is signed in finds nothing there."""
    return _opened(view, lambda person: person.is_staff)


def keeper(view: View) -> View:
    """Open a page to those who keep the whole installation: its rows are of no organization."""
    return _opened(view, lambda person: person.is_staff and person.is_superuser)


def may(request: PageRequest, permission: str) -> None:
    """Raise PermissionDenied unless the admin would let the person do it as well."""
    if not request.user.has_perm(permission):
        raise PermissionDenied


def visible_agents(person: User) -> QuerySet[Agent]:
    """Return the organization's agents; all of them for a superuser without one."""
    agents = Agent.objects.select_related("organization").order_by("organization__slug", "slug")
    if person.is_superuser and person.organization_id is None:
        return agents
    return agents.filter(organization=person.organization_id)


def agent_for(person: User, agent: UUID) -> Agent:
    """Return an agent that the person may see. Raises Http404 for any other."""
    found: Agent = get_object_or_404(visible_agents(person), pk=agent)
    return found


def _opened(view: View, is_let_in: Callable[[User], bool]) -> View:
    @wraps(view)
    def opened(request: PageRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not is_let_in(request.user):
            raise Http404
        return view(request, *args, **kwargs)

    return login_required(never_cache(opened))
