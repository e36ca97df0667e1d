"""What a trial changes of how memories are searched."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.db.models import QuerySet

from memory.models import EmbeddingSpace
from providers.registry import model_name
from recall.errors import VariantUnknown
from recall.search.ranking_profiles import LONG_TERM_VECTORS, PROFILES, RankingProfile

State = EmbeddingSpace.State


@dataclass(frozen=True, slots=True)
class Variant:
    """A setting to be tried; what is None stays as it is today."""

    profile: str | None = None
    space: EmbeddingSpace | None = None
    long_term_vectors: str | None = None


@dataclass(frozen=True, slots=True)
class Searching:
    """What `search` is given; without a space nothing is embedded yet."""

    profile: RankingProfile
    space: EmbeddingSpace | None

    @property
    def has_meaning(self) -> bool:
        return self.profile.meaning != 0


TODAY = Variant()


def searching(variant: Variant) -> Searching:
    """Return how questions are searched under a variant. Raises VariantUnknown.

    The one place where a setting of Variant becomes one of the search.
    """
    name = variant.profile or settings.RANKING_PROFILE
    if name not in PROFILES:
        raise VariantUnknown(f"there is no ranking profile {name}")
    profile, vectors = PROFILES[name], variant.long_term_vectors
    if vectors is not None:
        if vectors not in LONG_TERM_VECTORS:
            raise VariantUnknown(f"long-term vectors are of {' or '.join(LONG_TERM_VECTORS)}")
        profile = replace(profile, long_term_vectors=vectors)
    return Searching(profile, variant.space or EmbeddingSpace.objects.current())


def searchable_spaces() -> QuerySet[EmbeddingSpace]:
    """Return the spaces whose vectors may be searched, the newest state first."""
    spaces: QuerySet[EmbeddingSpace] = EmbeddingSpace.objects.exclude(state=State.DROPPING)
    return spaces.order_by("-state_since", "-pk")


def space_named(model: str) -> EmbeddingSpace:
    """Return the space of a model, of several the one begun last. Raises VariantUnknown."""
    known = list(searchable_spaces())
    named = [space for space in known if space.model == model_name(model)]
    if not named:
        names = ", ".join(sorted({space.model for space in known})) or "none"
        raise VariantUnknown(f"there are no vectors of {model}; there are of: {names}")
    return named[0]
