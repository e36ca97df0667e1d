"""Find or make the owner of a memory."""

from uuid import UUID

from accounts.driver import columns, instance, run
from accounts.errors import ErasureUnderWay, OwnerMissing
from accounts.models import Agent, Owner, User
from accounts.scope import Scope

# An agent may change its slug, and stays the one it is.
SELF = "self"
FIND = f"""
select {columns(Owner, "owner")} from accounts_owner owner
where agent_id = %s and kind = %s and key = %s
"""  # noqa: S608 - names of our own columns


def resolve_owner(*, agent: Agent, user: str | None = None, thread: str | None = None) -> Owner:
    """Return whose memory it is: the user's across all threads, else the thread's own.

    `user` is the caller's id for a person, `thread` that of a conversation; both are made known
    on first sight. Raises OwnerMissing, a ValueError, when both are missing, or ErasureUnderWay;
    then nothing is written.
    """
    if user:
        person = _person(agent=agent, external_id=user)
        return _owner(agent=agent, kind=Owner.Kind.USER, key=user, person=person)
    if thread:
        return _owner(agent=agent, kind=Owner.Kind.THREAD, key=thread, person=None)
    raise OwnerMissing("neither a user nor a session was given")


def find_owner(*, agent: Agent, user: str) -> Owner | None:
    """Return the owner of a user's memory, or None when the agent has never met the user."""
    return _find(agent=agent, kind=Owner.Kind.USER, key=user)


def agent_owner(agent: Agent) -> Owner:
    """Return the owner of what is the agent's own, known from then on."""
    return _owner(agent=agent, kind=Owner.Kind.AGENT, key=SELF, person=None)


def find_agent_owner(agent: Agent) -> Owner | None:
    """Return the owner of what is the agent's own, or None when it has nothing yet."""
    return _find(agent=agent, kind=Owner.Kind.AGENT, key=SELF)


def scope_of(agent: Agent, *, owner: int | None = None) -> Scope:
    organization: UUID = agent.organization_id
    return Scope(organization=organization, agent=agent.pk, owner=owner)


def _find(*, agent: Agent, kind: Owner.Kind, key: str) -> Owner | None:
    rows = run(FIND, (agent.pk, kind.value, key))
    if not rows:
        return None
    owner = instance(Owner, rows[0])
    owner.agent = agent
    return None if owner.erasure else owner


def _person(*, agent: Agent, external_id: str) -> User:
    known = {"organization_id": agent.organization_id, "external_id": external_id}
    found = User.objects.filter(**known).first()
    if found:
        return found
    person = User(**known)
    person.username = f"person-{person.pk}"
    person.set_unusable_password()
    # Two first sights at once: one inserts, the other reads what it inserted.
    User.objects.bulk_create([person], ignore_conflicts=True)
    return User.objects.get(**known)


def _owner(*, agent: Agent, kind: Owner.Kind, key: str, person: User | None) -> Owner:
    known = {"agent_id": agent.pk, "kind": kind, "key": key}
    found = Owner.objects.filter(**known).first()
    if found:
        if found.erasure:
            raise ErasureUnderWay("what is known of the person is being deleted")
        return found
    Owner.objects.bulk_create([Owner(user=person, **known)], ignore_conflicts=True)
    return Owner.objects.get(**known)
