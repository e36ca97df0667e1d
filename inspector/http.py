"""The request of a signed-in person."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class PageRequest(HttpRequest):
    user: User
    htmx: HtmxDetails
