"""What can go wrong in a session, in the domain's words."""

from accounts.errors import Fault


class SessionClosed(Fault):
    """The session has ended, or is ending: its log takes no more events."""

    code = "session_closed"
    status = 409
    hint = "Open a new session with POST /api/v1/sessions."


class ModeUnavailable(Fault):
    """The mode is known, and this server cannot keep its promise."""

    code = "mode_unavailable"
    status = 422
    hint = "Nothing was stored. Use mode local, or run the server with `make up`."


class IncognitoFull(Fault):
    """The process that holds incognito sessions has no more room."""

    code = "incognito_full"
    status = 503
    hint = "End incognito sessions that are over, or this one, and begin anew."


class IncognitoGone(Fault):
    """The process that holds incognito sessions does not answer; if it died, they are gone."""

    code = "incognito_gone"
    status = 503
    hint = "Nothing was stored. Open a new session."


class NoSnapshot(Fault):
    """No heartbeat of the session has been kept yet."""

    code = "no_snapshot"
    status = 409
    hint = "POST /api/v1/sessions/{id}/heartbeat takes one."


class SummaryChanged(Exception):
    """The summary is not the one that the change was made for: the change is stale."""


class SpaceBusy(Fault):
    """Another space is being built already."""

    code = "space_busy"
    status = 409
    hint = "Switch to it, or drop it, before another is begun."


class SpaceInUse(Fault):
    """The space is not in the state that the act needs."""

    code = "space_in_use"
    status = 409
    hint = "Look at the states with `manage.py reembed`."
