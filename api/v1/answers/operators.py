"""What the operations of an operator's key answer."""

from accounts.models import Agent, Organization
from api.v1.answers.fields import (
    answer,
    anything,
    by_name,
    maybe,
    maybe_anything,
    maybe_moment,
    maybe_real,
    maybe_uuid,
    moment,
    number,
    objects,
    page,
    real,
    results,
    row,
    text,
    texts,
    uuid,
)

OBJECTS = {
    "tools": objects(),
    "skills": objects(),
    "scaffold_keys": texts(),
    "synthesis_models": anything(),
}
AgentDetail = row(
    "Agent",
    "How an agent's prompts are built, and what it keeps.",
    Agent,
    (
        "slug",
        "name",
        "behaviour",
        "soul",
        "core_behaviour",
        "core_soul",
        "fleet",
        "has_core_lane",
        "language",
        "window_events",
        "context_tokens",
        "compact_share",
        "is_shared",
        "learns",
        "mid_term_sessions",
        "constitution",
        "keeps_profile",
        "tiers",
        "retrieves",
        "synthesises_at_once",
        "narrative_words",
        "narrative_days",
        "sensitive_days",
        "forget_days",
    ),
    **OBJECTS,
)
Stopped = answer("StoppedAgent", "How many sessions ended.", ended=number())
Key = answer(
    "IssuedKey", "A key, shown once.", key=text(), prefix=text(), expires_at=maybe_moment()
)
Policy = answer(
    "ApprovalPolicy",
    "How changes of a category are taken.",
    category=text(),
    mode=text(),
    least_confidence=text(),
)
Approval = answer(
    "Approval", "Policies of an agent, or of one user.", user=maybe(), policies=Policy(many=True)
)
OrganizationDetail = row(
    "Organization",
    "The organization of the key.",
    Organization,
    ("slug", "name", "user_text", "created_at"),
)
CHANGESET = {
    "id": uuid(),
    "agent": text(),
    "user": maybe(),
    "origin": text(),
    "actor": text(),
    "session": maybe_uuid(),
    "created_at": moment(),
    "reverted_at": maybe_moment(),
    "reverts": maybe_uuid(),
    "reverted_by": maybe_uuid(),
    "items_total": number(),
    "items_waiting": number(),
}
ChangesetRow = answer("ChangesetRow", "A run of changes, without its words.", **CHANGESET)
ChangesetPage = page("ChangesetPage", ChangesetRow)
Change = answer(
    "Change",
    "One change: what was, what is, the quote, and the verdict.",
    item=number(),
    kind=text(),
    act=text(),
    target=maybe_uuid(),
    before=maybe_anything(),
    after=maybe_anything(),
    quote=text(),
    source_event=text(),
    confidence=text(),
    code=text(),
    reason=text(),
    policy_version=text(),
    state=text(),
    decided_by=text(),
    decided_at=maybe_moment(),
)
Changeset = answer("Changeset", "A run with each change.", **CHANGESET, items=Change(many=True))
Job = answer(
    "Job",
    "Work in the background.",
    id=number(),
    kind=text(),
    key=text(),
    subject=text(),
    state=text(),
    attempts=number(),
    max_attempts=number(),
    not_before=moment(),
    last_error_code=maybe(),
    finished_at=maybe_moment(),
)
JobPage = page("JobPage", Job)
CostTotal = answer(
    "CostTotal",
    "What calls cost together; `key` is what they share.",
    key=maybe(),
    calls=number(),
    refused=number(),
    input_tokens=number(),
    output_tokens=number(),
    embedding_tokens=number(),
    micro_usd=real(),
)
Costs = answer(
    "Costs",
    "What calls of models cost.",
    by=text(),
    to=text(),
    micro_usd=real(),
    results=CostTotal(many=True),
    **{"from": text()},
)
BudgetRow = answer(
    "Budget",
    "What may be spent per day.",
    agent=maybe(),
    user=maybe(),
    micro_usd=real(),
    left_micro_usd=real(),
)
Budgets = results("Budgets", BudgetRow)
SetBudget = answer(
    "SetBudget", "The budget; null when there is no limit.", budget=BudgetRow(allow_null=True)
)
Balance = answer("Balance", "What a user may still spend.", user=text(), micro_usd=maybe_real())
Point = answer(
    "MeasurePoint", "A measure on a day.", day=text(), part=real(), whole=real(), value=maybe_real()
)
Measures = answer("Measures", "Each measure by day.", measures=by_name(Point))
