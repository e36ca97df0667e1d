"""What can go wrong in a recall, in the domain's words."""

from accounts.errors import Fault


class BudgetTooSmall(Fault):
    """What is never left out of a prompt is larger than the budget alone."""

    code = "budget_too_small"
    status = 422
    hint = "Raise max_tokens, or shorten the agent's instructions and identity texts."


class SessionUnknown(Fault):
    """No such session, or not one the caller may see."""

    code = "not_found"
    status = 404
    hint = "There is no such thing, or it is not yours to see."


class MemoryUnknown(Fault):
    """No such memory, or not one the caller may see."""

    code = "not_found"
    status = 404
    hint = "GET /api/v1/memories?user= lists what there is; a memory that was forgotten is gone."


class BadMode(Fault):
    """The store is not asked in this mode, or there is no such store."""

    code = "bad_mode"
    status = 422
    hint = "working takes keyword, hash; session takes semantic, text, session_detail; knowledge takes semantic, text."


class SessionIdRequired(Fault):
    """A session must be named, and none was."""

    code = "session_id_required"
    status = 422
    hint = "Give the session's id: `session_id` for session_detail, the call's own `session` for the store working."


class EventUnknown(Fault):
    """The session has no event of this hash."""

    code = "not_found"
    status = 404
    hint = "Hashes are found in the session that they were given in."


class ReadForbidden(Fault):
    """Another agent's memory of this kind is not to be read, or not to be written."""

    code = "forbidden"
    status = 403
    hint = "Leave `target_agent` out: working memory is the session's alone, and only its own agent writes knowledge."


class AgentUnknown(Fault):
    """The organization has no agent with this slug."""

    code = "unknown_agent"
    status = 404
    hint = "Name an agent of the same organization by its slug."


class AgentNotShared(Fault):
    """The agent's memory is for itself alone."""

    code = "forbidden"
    status = 403
    hint = "An operator can let other agents read it: set `is_shared` on that agent."


class PlaybookUnfit(Fault):
    """A template holds what no template of a playbook may."""

    code = "playbook_unfit"
    status = 422
    hint = "Names, keys, conditions, loops and the filters of docs/playbooks.md are what there is."


class PlaybookFailed(Fault):
    """A template asks for what is not there, or would take too long or grow too long."""

    code = "playbook_failed"
    status = 422
    hint = "Give every variable it names, or use `default`; keep loops short."


class GoldenUnfit(Fault):
    """There is no question here, or nothing is left of what should come."""

    code = "golden_unfit"
    status = 422
    hint = "A golden question has 1 to 4,000 characters and up to 50 events that should come, which passages of ended sessions bring."


class ExpectedUnknown(Fault):
    """An id is neither a result from a session nor an event of this memory, or it was forgotten."""

    code = "expected_unknown"
    status = 422
    hint = (
        "Name results of the receipt that have `store` session, or ids of events of the same user."
    )


class VariantUnknown(Fault):
    """There is no such setting to try."""

    code = "variant_unknown"
    status = 422
    hint = (
        "Profiles are those of docs/settings.md; `manage.py reembed` lists the models with vectors."
    )


class GoldenUnknown(Fault):
    """No such golden question, or not one the caller may see."""

    code = "not_found"
    status = 404
    hint = "There is no such thing, or it is not yours to see."
