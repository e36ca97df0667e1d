"""The addresses of runs of changes, and of a memory as it was."""

from django.urls import path, register_converter

from inspector.history import acting, rewind, runs
from inspector.person.urls import OwnerId


class RunPosition(OwnerId):
    """Where a change stands in its run: a longer number would be an error of the database."""


register_converter(RunPosition, "place")

urlpatterns = [
    path("changes/", runs.run_list, name="console-history"),
    path("changes/<uuid:run>/", runs.run_detail, name="console-change"),
    path(
        "changes/<uuid:run>/items/<place:place>/approve",
        acting.decide,
        {"approve": True},
        name="console-change-approve",
    ),
    path(
        "changes/<uuid:run>/items/<place:place>/reject",
        acting.decide,
        {"approve": False},
        name="console-change-reject",
    ),
    path("changes/<uuid:run>/revert", acting.revert, name="console-change-revert"),
    path("memory/<owner:owner>/rewind/", rewind.rewound, name="console-rewind"),
]
