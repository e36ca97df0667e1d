"""The request of a signed-in person, and their way in."""

import logging
from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.contrib.auth.views import LoginView
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.defaults import bad_request
from django_htmx.http import HttpResponseClientRefresh
from django_htmx.middleware import HtmxDetails

from accounts.errors import Fault
from accounts.models import User
from inspector.faults import fault_page

log = logging.getLogger(__name__)
# In the session of whoever came in by an agent's link.
ONLY_AGENT = "only_agent"


class PageRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


def wants_part(request: PageRequest) -> bool:
    """Say whether htmx asks for what changes on a page that is shown already."""
    return bool(request.htmx) and not request.htmx.boosted


class SignIn(LoginView):
    redirect_authenticated_user = True
    http_method_names = ("get", "post", "head", "options")

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        # A page whose login has ended asks for its part and is sent here: without a reload
        # the form would be put into the middle of that page.
        if "HX-Request" in request.headers:
            return HttpResponseClientRefresh()
        return super().dispatch(request, *args, **kwargs)


def see_as_the_link_says(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Show whoever came in by an agent's link what that agent knows of them, and no more."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            agent = request.session.get(ONLY_AGENT)
            if agent and isinstance(request.user, User):
                request.user.only_agent = UUID(agent)
        return get_response(request)

    return answer


class AnswerWithPages:
    """Answer what no page has foreseen with words: a fault, or what the database cannot hold."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Fault):
            return fault_page(request, exception)
        if not isinstance(exception, DataError):
            return None
        # Never the value, such as a text with a NUL: it is somebody's words.
        log.warning("unstorable: %s", request.resolver_match and request.resolver_match.route)
        return bad_request(request, exception)
