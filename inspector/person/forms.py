"""What a person may correct of an item, and how long it may be."""

from collections.abc import Mapping

from django import forms

from inspector.person.wording import CATEGORY, SURE
from knowledge.models import Arc, Fact, Rule
from knowledge.models.learned import Category, Learned

LARGEST_VERSION = 2_147_483_647
MOST_THEMES = 3
MOST_LOOPS = 20
THEME = 80


class ItemForm(forms.Form):
    """The fields of an item as a person knows them, in the version that they saw."""

    version = forms.IntegerField(min_value=1, max_value=LARGEST_VERSION, widget=forms.HiddenInput())

    def fields_of(self) -> Mapping[str, object]:
        """Return what is to be written."""
        return self.cleaned_data


class FactForm(ItemForm):
    object = forms.CharField(max_length=200, label="What is so")
    category = forms.ChoiceField(
        choices=[(one, CATEGORY[one]) for one in Category.values], label="Kind"
    )
    confidence = forms.ChoiceField(choices=list(SURE.items()), label="How sure")


class ArcForm(ItemForm):
    summary = forms.CharField(max_length=600, widget=forms.Textarea({"rows": 4}))
    themes = forms.CharField(required=False, max_length=300, help_text="Up to three, with commas.")
    open_loops = forms.CharField(
        required=False,
        max_length=2_000,
        label="Left open",
        help_text="One on each line.",
        widget=forms.Textarea({"rows": 3}),
    )

    def clean_themes(self) -> list[str]:
        return _listed(str(self.cleaned_data["themes"]).split(","), MOST_THEMES)

    def clean_open_loops(self) -> list[str]:
        return _listed(str(self.cleaned_data["open_loops"]).splitlines(), MOST_LOOPS)


class RuleForm(ItemForm):
    text = forms.CharField(
        max_length=280, label="How to answer", widget=forms.Textarea({"rows": 3})
    )


def begun(item: Learned) -> dict[str, object]:
    """Return an item as its form begins with."""
    if isinstance(item, Fact):
        names = ("version", "object", "category", "confidence")
        return {name: getattr(item, name) for name in names}
    if isinstance(item, Arc):
        return {
            "version": item.version,
            "summary": item.summary,
            "themes": ", ".join(item.themes),
            "open_loops": "\n".join(item.open_loops),
        }
    assert isinstance(item, Rule)  # noqa: S101 - there are three kinds
    return {"version": item.version, "text": item.text}


FORMS: Mapping[str, type[ItemForm]] = {"facts": FactForm, "sessions": ArcForm, "rules": RuleForm}


def _listed(parts: list[str], most: int) -> list[str]:
    found = [part.strip() for part in parts if part.strip()]
    if len(found) > most:
        raise forms.ValidationError(f"At most {most}.")
    if any(len(part) > THEME for part in found):
        raise forms.ValidationError(f"At most {THEME} characters each.")
    return found
