"""What an operator fills in: checked as the API checks it, with the same limits."""

from typing import ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict

from accounts.models import Agent
from knowledge.changes.approval import CATEGORIES
from knowledge.models import ApprovalPolicy
from knowledge.models.learned import Confidence
from ranking.languages import LATIN, SCRIPTS

LANGUAGES = sorted({*LATIN, *(name for name, _ in SCRIPTS)})
TEXT_CHARACTERS = 32_000
LIMITS = {
    "window_events": (1, 1_000),
    "context_tokens": (500, 10_000_000),
    "compact_share": (0.1, 0.95),
    "mid_term_sessions": (1, 100_000),
    "narrative_words": (20, 500),
    "narrative_days": (1, 36_500),
    "sensitive_days": (1, 36_500),
    "forget_days": (1, 36_500),
}
TEXTS = ("behaviour", "soul", "core_behaviour", "core_soul", "fleet", "constitution")
MOST_DOLLARS = 1_000_000_000


class AgentForm(forms.ModelForm):
    """The settings of one agent; its tools and skills come by the API."""

    language = forms.ChoiceField(choices=[(name, name.capitalize()) for name in LANGUAGES])

    class Meta:
        model = Agent
        fields = (
            "name",
            *TEXTS,
            "has_core_lane",
            "language",
            "window_events",
            "context_tokens",
            "compact_share",
            "mid_term_sessions",
            "is_shared",
            "learns",
            "learning_policy",
            "time_zone",
            "keeps_profile",
            "tiers",
            "retrieves",
            "scaffold_keys",
            "synthesises_at_once",
            "narrative_words",
            "narrative_days",
            "sensitive_days",
            "forget_days",
        )
        widgets: ClassVar = {name: forms.Textarea(attrs={"rows": 4}) for name in TEXTS}

    def __init__(self, data: QueryDict | None = None, *, instance: Agent) -> None:
        super().__init__(data, instance=instance)
        for name, (least, most) in LIMITS.items():
            field = self.fields[name]
            field.validators = [
                *field.validators,
                MinValueValidator(least),
                MaxValueValidator(most),
            ]
            span = f"From {least:,} to {most:,}."
            field.help_text = f"{field.help_text} {span}".strip()
        for name in TEXTS:
            text = self.fields[name]
            text.validators = [*text.validators, _at_most]

    @property
    def changes(self) -> dict[str, object]:
        return {name: self.cleaned_data[name] for name in self.changed_data}


class KeyForm(forms.Form):
    name = forms.CharField(max_length=100, required=False, label="Name of the key")
    days = forms.IntegerField(
        min_value=1,
        max_value=3_650,
        required=False,
        label="Valid for days",
        help_text="Empty: always.",
    )


class DollarForm(forms.Form):
    """An amount; empty takes the limit away."""

    dollars = forms.DecimalField(
        min_value=0,
        max_value=MOST_DOLLARS,
        decimal_places=6,
        required=False,
        label="Dollars",
        help_text="Empty: no limit.",
    )


class BudgetLimitForm(DollarForm):
    agent = forms.UUIDField(required=False)
    user = forms.CharField(max_length=255, required=False, strip=True)


class PolicyForm(forms.Form):
    """One policy for each category, in fields named after it."""

    def __init__(
        self, data: QueryDict | None = None, *, initial: dict[str, str] | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        for category in CATEGORIES:
            title = category.replace("_", " ").capitalize()
            self.fields[f"{category}.mode"] = forms.ChoiceField(
                choices=ApprovalPolicy.Mode.choices, label=title
            )
            self.fields[f"{category}.least"] = forms.ChoiceField(
                choices=Confidence.choices, label=f"{title}, least confidence"
            )

    @property
    def pairs(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        return [(self[f"{one}.mode"], self[f"{one}.least"]) for one in CATEGORIES]


def _at_most(text: str) -> None:
    if len(text) > TEXT_CHARACTERS:
        raise forms.ValidationError(f"At most {TEXT_CHARACTERS:,} characters.")
