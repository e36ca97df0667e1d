"""The items of one changeset of the MemoryProcessor, in their order."""

from collections.abc import Sequence
from uuid import UUID

from accounts.models import Owner
from consolidation.profile.claim import ref_of
from consolidation.profile.leaves.sides import ObservedEvent
from consolidation.prompts import PROFILE_VERSION
from knowledge.models import ChangeItem, Changeset
from knowledge.profile.items import LockedProfile, Said, write_item

QUOTE_CHARACTERS = 280


class ChangesetWriter:
    """Puts the items of one changeset in their order."""

    def __init__(
        self, profile: LockedProfile, made: Changeset, events: Sequence[ObservedEvent]
    ) -> None:
        self.profile, self.made = profile, made
        self.events = {one.id: one for one in events}
        self.refs = {ref_of(one.id): one for one in events}
        self.items: list[ChangeItem] = []

    def add(
        self,
        kind: str,
        act: str,
        *,
        before: Said | None = None,
        after: Said | None = None,
        evidence: Sequence[UUID] = (),
        reason: str = "",
        target: UUID | None = None,
    ) -> None:
        """Do one change and keep it, with the newest observation that speaks for it."""
        newest = self.events.get(evidence[-1]) if evidence else None
        item = ChangeItem(
            changeset=self.made,
            place=len(self.items),
            kind=kind,
            act=act,
            target=target,
            before=before,
            after=after,
            quote=newest.text[:QUOTE_CHARACTERS] if newest else "",
            source_event=ref_of(newest.id) if newest else "",
            code=f"synthesis.{kind}",
            reason=reason,
            policy_version=PROFILE_VERSION,
        )
        write_item(self.profile, item)
        item.save()
        self.items.append(item)


def new_changeset(owner: Owner, key: str) -> Changeset:
    origin = Changeset.Origin.SYNTHESIS
    return Changeset.objects.create(owner=owner, origin=origin, actor="processor", run_key=key)
