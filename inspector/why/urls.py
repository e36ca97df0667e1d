"""The addresses of sessions and receipts in the console."""

from django.urls import path

from inspector.why import receipts, sessions

urlpatterns = [
    path("sessions/", sessions.session_list, name="console-sessions"),
    path("sessions/<uuid:session>/", sessions.session_time, name="console-session"),
    path("sessions/<uuid:session>/prompt", sessions.session_prompt, name="console-session-prompt"),
    path(
        "sessions/<uuid:session>/receipts",
        sessions.session_receipts,
        name="console-session-receipts",
    ),
    path("receipts/", receipts.receipt_list, name="console-receipts"),
    path("receipts/<uuid:receipt>/", receipts.receipt_detail, name="console-receipt"),
]
