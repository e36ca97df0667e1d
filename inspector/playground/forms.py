"""What is filled in: whom to talk with as whom, and what is said."""

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from accounts.models import Agent

USER = "playground"
USER_CHARACTERS, TEXT_CHARACTERS = 255, 20_000


class AgentField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Agent) -> str:
        """Name the organization too: two of them may have agents of one name."""
        return f"{obj.slug} ({obj.organization.slug})"


class StartForm(forms.Form):
    """The agents are those that whoever asks may see."""

    agent = AgentField(queryset=Agent.objects.none(), empty_label=None)
    user = forms.CharField(
        label="User",
        max_length=USER_CHARACTERS,
        initial=USER,
        help_text="A new name is a new person. A name that the agent knows already is that person: "
        "it answers from what it knows of them, and learns from what you say.",
    )
    incognito = forms.BooleanField(
        required=False,
        help_text="Nobody's session: nothing is looked up, and nothing is kept of it.",
    )

    def __init__(self, agents: QuerySet[Agent], data: QueryDict | None = None) -> None:
        super().__init__(data)
        field = self.fields["agent"]
        assert isinstance(field, AgentField)  # noqa: S101 - as declared above
        field.queryset = agents


class SayForm(forms.Form):
    text = forms.CharField(
        label="Your message",
        max_length=TEXT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3, "id": "message"}),
    )
