"""What of an inbox matters to a user, in their own words."""

from django.db import transaction

from accounts.models import Owner, User
from audit.log import record


@transaction.atomic
def set_inbox_guidance(*, owner: Owner, text: str, actor: str) -> None:
    """Keep a user's guidance for whoever ranks their inbox; the empty text takes it away."""
    User.objects.filter(owner=owner).update(autonomous_inbox_guidance=text)
    record(actor=actor, action="user.inbox_guidance", subject=str(owner.user_id))
