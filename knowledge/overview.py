"""How much is known of an owner, and whether it may be raised unasked."""

from dataclasses import dataclass

from accounts.driver import run
from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import Rule

ACTIVE = """
owner_id = %(owner)s and user_visible and dormant_at is null and superseded_by = ''
and not is_quarantined
"""
COUNTS = f"""
select (select count(*) from knowledge_fact where {ACTIVE}),
       (select count(*) from knowledge_arc where {ACTIVE}),
       (select count(*) from knowledge_rule where {ACTIVE}),
       coalesce((select proactive_recall_enabled from knowledge_proceduralprofile
                 where owner_id = %(owner)s), false)
"""  # noqa: S608 - literals


@dataclass(frozen=True, slots=True)
class Overview:
    """Counts of what is active, by kind. Recall is off until someone has switched it on."""

    semantic: int = 0
    episodic: int = 0
    procedural: int = 0
    proactive_recall: bool = False

    @property
    def has_memory(self) -> bool:
        return bool(self.semantic or self.episodic)


def overview(owner: Owner) -> Overview:
    """Count what an owner has, in one statement."""
    ((semantic, episodic, procedural, recall),) = run(COUNTS, {"owner": owner.pk})
    return Overview(semantic, episodic, procedural, recall)


def active_rules(owner: Owner) -> list[Rule]:
    """Return how the owner wishes to be answered, oldest first."""
    mine = Rule.objects.within(scope_of(owner.agent, owner=owner.pk))
    found = mine.active().order_by("created_at", "pk")
    return [rule for rule in found if isinstance(rule, Rule)]
