"""The addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from inspector import pages
from inspector.http import SignIn

urlpatterns = [
    path("", pages.session_list, name="sessions"),
    path("sessions/<uuid:session>/", pages.session_detail, name="session"),
    path("sessions/<uuid:session>/chain", pages.session_chain, name="session-chain"),
    path("sessions/<uuid:session>/end", pages.session_end, name="session-end"),
    path("memory/", include("inspector.person.urls")),
    path("memory/<owner:owner>/", include("inspector.picture.urls")),
    path("console/", include("inspector.console.urls")),
    path("console/playground/", include("inspector.playground.urls")),
    path("", include("inspector.privacy.urls")),
    path("console/", include("inspector.why.urls")),
    path("console/", include("inspector.history.urls")),
    path("console/", include("inspector.golden.urls")),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
