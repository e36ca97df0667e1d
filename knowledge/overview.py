"""How much is known of an owner, and whether it may be raised unasked."""

from dataclasses import dataclass

from django.db.models import BooleanField, Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import Arc, Fact, ProceduralProfile, Rule
from knowledge.models.learned import Learned


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
    row = (
        Owner.objects.filter(pk=owner.pk)
        .annotate(
            semantic=_count(Fact, owner),
            episodic=_count(Arc, owner),
            procedural=_count(Rule, owner),
            recall=Coalesce(_recall(), False, output_field=BooleanField()),
        )
        .values_list("semantic", "episodic", "procedural", "recall")
        .first()
    )
    return Overview(*row) if row else Overview()


def active_rules(owner: Owner) -> list[Rule]:
    """Return how the owner wishes to be answered, oldest first."""
    mine = Rule.objects.within(scope_of(owner.agent, owner=owner.pk))
    found = mine.active().order_by("created_at", "pk")
    return [rule for rule in found if isinstance(rule, Rule)]


def _count(model: type[Fact] | type[Arc] | type[Rule], owner: Owner) -> Coalesce:
    mine: QuerySet[Learned] = model.objects.within(scope_of(owner.agent, owner=owner.pk)).active()
    counted = mine.order_by().values("owner").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _recall() -> Subquery:
    profiles = ProceduralProfile.objects.filter(owner=OuterRef("pk"))
    return Subquery(profiles.values(on=F("proactive_recall_enabled"))[:1])
