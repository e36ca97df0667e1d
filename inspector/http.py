"""The request of a signed-in person, and their way in."""

from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponseBase
from django_htmx.http import HttpResponseClientRefresh
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class PageRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


def wants_part(request: PageRequest) -> bool:
    """Say whether htmx asks for what changes on a page that is shown already."""
    return bool(request.htmx) and not request.htmx.boosted


class SignIn(LoginView):
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        # A page whose login has ended asks for its part and is sent here: without a reload
        # the form would be put into the middle of that page.
        if "HX-Request" in request.headers:
            return HttpResponseClientRefresh()
        return super().dispatch(request, *args, **kwargs)
