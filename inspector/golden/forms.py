"""What an operator tries on golden questions, and what of a receipt should come."""

from collections.abc import Sequence

from django import forms
from django.conf import settings
from django.http import QueryDict

from accounts.models import Agent, User
from inspector.console.door import visible_agents
from memory.models import EmbeddingSpace
from recall.golden.keeping import NOTE_CHARACTERS
from recall.golden.variants import Variant, searchable_spaces
from recall.search.ranking_profiles import LONG_TERM_VECTORS, PROFILES


class TryForm(forms.Form):
    """A setting to try; spaces belong to the installation, and are its keeper's to choose."""

    def __init__(self, data: QueryDict, *, person: User) -> None:
        super().__init__(data)
        self.spaces: dict[str, EmbeddingSpace] = {}
        self.agents = {str(one.pk): one for one in visible_agents(person)}
        of_agents = [(pk, one.slug) for pk, one in self.agents.items()]
        today = f"as today ({settings.RANKING_PROFILE})"
        self.fields["agent"] = _choice("Agent", "all", of_agents)
        self.fields["profile"] = _choice(
            "Ranking profile", today, [(name, name) for name in sorted(PROFILES)]
        )
        self.fields["long_term"] = _choice(
            "Vectors of long-term memory", "as today", [(one, one) for one in LONG_TERM_VECTORS]
        )
        if person.is_superuser:
            self.spaces = {str(one.pk): one for one in searchable_spaces()}
            of_spaces = [(pk, f"{one}, {one.state}") for pk, one in self.spaces.items()]
            self.fields["space"] = _choice("Model of the vectors", "as today", of_spaces)

    @property
    def chosen(self) -> Agent | None:
        """The agent whose questions are meant; None for all, and for one that makes no sense."""
        return self.agents.get(self.data.get("agent", ""))

    @property
    def variant(self) -> Variant:
        given = self.cleaned_data
        space = self.spaces.get(given.get("space", ""))
        return Variant(given["profile"] or None, space, given["long_term"] or None)


class ExpectForm(forms.Form):
    """Which results of a receipt should come; none ticked are its first ones."""

    note = forms.CharField(max_length=NOTE_CHARACTERS, required=False)

    def __init__(self, data: QueryDict, *, results: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["expected"] = forms.MultipleChoiceField(
            choices=[(one, one) for one in results], required=False
        )


def _choice(label: str, empty: str, choices: Sequence[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=[("", empty), *choices], required=False)
