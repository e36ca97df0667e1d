"""What can go wrong in the accounts, in the domain's words."""

from collections.abc import Mapping


class Fault(Exception):
    """The base of what a caller can do something about.

    `code` is stable, `status` is the HTTP status, `hint` says what to do next and `detail` holds
    the facts a program needs to recover. None of them holds content.
    """

    code = "fault"
    status = 400
    hint = ""

    def __init__(
        self, message: str, *, hint: str = "", detail: Mapping[str, str | int] | None = None
    ) -> None:
        super().__init__(message)
        self.hint = hint or self.hint
        self.detail = dict(detail or {})


class OwnerMissing(Fault, ValueError):
    """Neither a user nor a session says whose memory is meant."""

    code = "owner_required"
    status = 422
    hint = "Name a `user`, or a `session`, so that the memory has an owner."


class AgentExists(Fault):
    """Another agent of the organization has this slug."""

    code = "agent_exists"
    status = 409
    hint = "Choose another slug, or change the agent that has it."


class SchemaMissing(Fault):
    """The agent has no schema in the database, so nobody can log in to it."""

    code = "schema_missing"
    status = 409
    hint = "Run `manage.py agent_schemas`; `manage.py doctor` says what hinders it."


class KeyScopeUnknown(Fault):
    """A key was asked for with a scope that does not exist."""

    code = "key_scope_unknown"
    status = 422


class IdempotencyConflict(Fault):
    """The key was used before, for another request."""

    code = "idempotency_conflict"
    status = 422
    hint = "Send a new Idempotency-Key with each new request; repeat one only with the same body."


class ErasureUnderWay(Fault):
    """All that is known of the person is just being deleted."""

    code = "erasure_under_way"
    status = 409
    hint = "Wait until the erasure is done; what comes afterwards begins anew."


class ErasureUnconfirmed(Fault):
    """The person's name was not typed, or not as it is."""

    code = "erasure_unconfirmed"
    status = 422
    hint = "Send the user's id as `confirm`, exactly as it is; with `dry_run` nothing is deleted."


class UserUnknown(Fault):
    """The agent has never met the person."""

    code = "user_unknown"
    status = 404
    hint = "Name a user the agent has heard of, by the agent's id for them."


class PageLinkRefused(Fault):
    """The person may not be let in by a link."""

    code = "page_link_refused"
    status = 409
    hint = "Staff, and people with a password, sign in with it."


class PageLinkSpent(Fault):
    """The link was used, is too old, or never was one."""

    code = "page_link_spent"
    status = 410
    hint = "Ask for a new link."
