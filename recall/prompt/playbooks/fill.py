"""Fill a playbook's template with what is known of a user."""

from collections.abc import Mapping

from accounts.models import Owner
from providers.quoting import visible
from recall.errors import PlaybookFailed, PlaybookUnfit
from recall.prompt.blocks.profile import shown_tiers
from recall.prompt.playbooks.sandbox import Failed, TemplateRefused, fill
from recall.prompt.sources.profile import ProfilePicture, load_profile

USER = "user"


def render_playbook(
    template: str, *, owner: Owner, variables: Mapping[str, object] | None = None
) -> str:
    """Return the template filled with its `user` and the caller's variables.

    Raises PlaybookUnfit for what no template may hold, PlaybookFailed for one that cannot be
    filled.
    """
    profile = shown_tiers(load_profile(owner), owner.agent)
    try:
        return visible(fill(template, {**(variables or {}), USER: known(profile)}))
    except TemplateRefused as error:
        raise PlaybookUnfit(str(error)) from None
    except Failed as error:
        raise PlaybookFailed(str(error)) from None


def known(profile: ProfilePicture) -> Mapping[str, object]:
    """Return what a template reads of a user, by the names it reads it under."""
    return {
        "narrative": profile.narrative.text,
        "profile": dict(profile.scaffold.data),
        "learned": list(profile.learned.items),
        "tools": {tool.tool: dict(tool.info) for tool in profile.connections},
    }
