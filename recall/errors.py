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
