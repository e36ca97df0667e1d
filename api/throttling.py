"""No key takes the server from the others."""

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import ApiKey
from accounts.throttling import Throttle

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView

throttle = Throttle()


class KeyThrottle(BaseThrottle):
    """Counts the requests of each key; those without a key get no further than the door."""

    seconds = 0.0

    def allow_request(self, request: Request, view: "APIView") -> bool:
        key, rate = request.auth, settings.REQUESTS_PER_SECOND
        if isinstance(key, ApiKey) and rate:
            self.seconds = throttle.wait(key.pk, rate=rate)
        return not self.seconds

    def wait(self) -> float:
        return self.seconds
