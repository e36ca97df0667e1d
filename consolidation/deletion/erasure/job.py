"""The job of an erasure: one step after the other, whoever was killed at one before."""

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner, User
from audit.failpoint import failpoint
from audit.log import record
from consolidation.deletion import ledger
from consolidation.deletion.erasure.certificate import certify, hash_of
from consolidation.deletion.erasure.elsewhere import delete_account, delete_repeated
from consolidation.deletion.erasure.steps import STEPS, residue
from consolidation.errors import Postponed
from consolidation.jobs import heartbeat
from consolidation.jobs.queue import Attempt
from consolidation.models import Erasure

MOST_ROUNDS = 5
NOT_CLEAN = "erasure_not_clean"
AGAIN_SECONDS = 30.0


def run(run: Attempt) -> None:
    """Do what is left of an erasure. Raises Postponed if something is left of the person."""
    erasure = begin_again(Erasure.objects.get(pk=run.key))
    while erasure.state == Erasure.State.RUNNING:
        erasure = advance(erasure)
        heartbeat.beat()
    if erasure.state == Erasure.State.FAILED:
        raise Postponed(NOT_CLEAN, seconds=AGAIN_SECONDS)


@transaction.atomic
def begin_again(erasure: Erasure) -> Erasure:
    """Let an erasure that failed do all its steps once more; any other goes on as it is."""
    row = Erasure.objects.select_for_update(of=("self",)).get(pk=erasure.pk)
    if row.state == Erasure.State.FAILED:
        row.state, row.error_code = Erasure.State.RUNNING, ""
        row.rounds, row.position = 0, 0
        row.save()
    return row


def progress(erasure: Erasure) -> float:
    """Return how much is done, from 0 to 1."""
    return 1.0 if erasure.state == Erasure.State.DONE else erasure.position / (len(STEPS) + 1)


@transaction.atomic
def advance(erasure: Erasure) -> Erasure:
    """Do the next step; two that advance the same erasure wait for each other.

    Raises LedgerUnwritable.
    """
    row = (
        Erasure.objects.select_for_update(of=("self",))
        .select_related("organization")
        .get(pk=erasure.pk)
    )
    if row.state != Erasure.State.RUNNING:
        return row
    if row.position == 0:
        # Before anything goes: a backup that is restored must not bring it back.
        ledger.note_erasure(row)
    if row.position < len(STEPS):
        step = STEPS[row.position]
        for label, count in step.do(row).items():
            row.counts[label] = row.counts.get(label, 0) + count
        row.position += 1
        failpoint(f"erase.{step.name}")
    else:
        _finish(row)
    row.save()
    return row


def _finish(row: Erasure) -> None:
    """Look through every table; certify that nothing is left, or begin again."""
    if residue(row.owners):
        row.rounds, row.position = row.rounds + 1, 0
        if row.rounds >= MOST_ROUNDS:
            row.state, row.error_code = Erasure.State.FAILED, NOT_CLEAN
        return
    _let_go(row)
    now = timezone.now()
    row.certificate = certify(row, verified_at=now)
    row.certificate_hash = hash_of(row.certificate)
    row.state, row.finished_at = Erasure.State.DONE, now
    record(actor="erasure", action="erasure.done", subject=str(row.pk))
    failpoint("erase.finish")


def _let_go(row: Erasure) -> None:
    """Take the person's name from what stays, and their account with the last of it."""
    delete_repeated(row.owners)
    for owner in row.owners:
        Owner.objects.filter(pk=owner).update(key=f"erased:{row.pk}", user=None)
    person = User.objects.filter(pk=row.user).first() if row.user else None
    if person is None or person.has_usable_password() or person.is_staff:
        return
    if not Owner.objects.filter(user=person).exists():
        row.counts |= delete_account(person)
        row.user = None
