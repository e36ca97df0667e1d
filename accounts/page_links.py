"""Signed links that let a person without a password see their own pages, once."""

from datetime import timedelta
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.utils import timezone

from accounts.errors import PageLinkRefused, PageLinkSpent
from accounts.models import User
from audit.log import record

SALT = "recollect.page-link"
DEFAULT_SECONDS = 3_600
LONGEST_SECONDS = 7 * 86_400
LONGEST_TOKEN = 1_000


def make_page_link(*, person: User, seconds: int, actor: str, agent: UUID | None = None) -> str:
    """Return a token that signs the person in once, within `seconds`.

    With an agent it opens what that agent knows of them, and nothing that others do.

    Every token of a person ends with their next sign-in. Raises PageLinkRefused for people who
    sign in with a password, and for staff: whoever holds a key must not become one of them.
    """
    if not _may_enter(person):
        raise PageLinkRefused("this person has no page, or signs in with a password")
    ends = timezone.now() + timedelta(seconds=seconds)
    token = signing.dumps(
        {
            "person": str(person.pk),
            "agent": str(agent) if agent else None,
            "seen": _seen(person),
            "ends": ends.timestamp(),
        },
        salt=SALT,
    )
    detail: dict[str, str | int] = {"seconds": seconds}
    record(actor=actor, action="page_link.make", subject=str(person.pk), detail=detail)
    return token


def person_of_link(token: str) -> User:
    """Return whom a token lets in, and use nothing up. Raises PageLinkSpent."""
    said = _read(token)
    person = User.objects.filter(pk=str(said.get("person", ""))).first()
    if person is None or not _may_enter(person) or said.get("seen") != _seen(person):
        raise PageLinkSpent("the link has been used, or is for nobody")
    return person


@transaction.atomic
def use_page_link(token: str) -> tuple[User, str | None]:
    """Return whom to sign in, and the id of the only agent whose memory is shown, None for all.

    No other use of the token gets that far. Raises PageLinkSpent.
    """
    person = person_of_link(token)
    person = User.objects.select_for_update().get(pk=person.pk)
    said = _read(token)
    if said.get("seen") != _seen(person):
        raise PageLinkSpent("the link has been used")
    person.last_login = timezone.now()
    person.save(update_fields=["last_login"])
    record(actor="the person", action="page_link.use", subject=str(person.pk))
    agent = said.get("agent")
    return person, str(agent) if agent else None


def _read(token: str) -> dict[str, object]:
    try:
        if len(token) > LONGEST_TOKEN:
            raise signing.BadSignature
        said: dict[str, object] = signing.loads(token, salt=SALT, max_age=LONGEST_SECONDS)
    except signing.BadSignature as error:
        raise PageLinkSpent("the link is not one of ours, or too old") from error
    ends = said.get("ends")
    if not isinstance(ends, float) or ends < timezone.now().timestamp():
        raise PageLinkSpent("the link is too old")
    return said


def _may_enter(person: User) -> bool:
    has_rights = person.is_staff or person.is_superuser or person.has_usable_password()
    return person.is_active and not has_rights


def _seen(person: User) -> str:
    return person.last_login.isoformat() if person.last_login else ""
