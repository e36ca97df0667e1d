"""The way in for people without a password."""

from django.contrib.auth import login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.errors import PageLinkSpent
from accounts.page_links import person_of_link, use_page_link
from inspector.http import ONLY_AGENT, PageRequest

BACKEND = "django.contrib.auth.backends.ModelBackend"
# Where it leads is not the link's to say.
INSIDE = "memory"


@require_http_methods(["GET", "POST"])
@never_cache
def enter(request: PageRequest, token: str) -> HttpResponse:
    """Show a button, and sign in when it is pressed: what only follows links uses nothing up."""
    try:
        if request.method == "POST":
            person, agent = use_page_link(token)
            login(request, person, backend=BACKEND)
            request.session[ONLY_AGENT] = agent
            return redirect(INSIDE)
        person_of_link(token)
    except PageLinkSpent:
        return render(request, "privacy/enter.html", {"is_spent": True}, status=410)
    return render(request, "privacy/enter.html", {"is_spent": False})
