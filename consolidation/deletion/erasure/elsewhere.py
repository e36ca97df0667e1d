"""What an erasure finds by other ways than an owner: keys, names in logs, files, logins."""

import shutil
from collections.abc import Sequence

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Login
from django.db import connection
from django.db.models import CompositePrimaryKey, Model, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import Balance, Budget, Owner, User
from audit.models import AuditEntry, CostEntry
from knowledge.workspace.folder import folder_of

REPEATED = """
delete from accounts_idempotencykey k where k.agent_id in (
  select agent_id from accounts_owner where id = any(%(owners)s)
) and exists (
  select from unnest(k.resources) made (id) join (
    select id from memory_event where owner_id = any(%(owners)s)
    union all select id from memory_session where owner_id = any(%(owners)s)
    union all select id from knowledge_changeset where owner_id = any(%(owners)s)
    union all select id from knowledge_knowledgedocument where owner_id = any(%(owners)s)
    union all select id from consolidation_contextevent where owner_id = any(%(owners)s)
    union all select id from toolstream_context where owner_id = any(%(owners)s)
    union all select id from recall_goldenquestion where owner_id = any(%(owners)s)
  ) mine on mine.id = made.id
)
"""
# A job that runs has lost its lease with its row, and writes nothing any more.
JOBS = """
delete from consolidation_job job where
  (split_part(job.subject, ':', 2) = any(%(keys)s)
   and split_part(job.subject, ':', 1) = any('{profile,inbox,attachments,patterns,import}'))
  or split_part(job.subject, ':', 2) in (
    select id::text from memory_session where owner_id = any(%(owners)s))
  or split_part(job.key, ':', 1) in (
    select id::text from memory_session where owner_id = any(%(owners)s))
"""
GRAPHS = "select relname from pg_class where relkind = 'i' and relname ~ %s"


def delete_repeated(owners: Sequence[int]) -> int:
    """Delete the keys of requests that made something of the owners'."""
    with connection.cursor() as cursor:
        cursor.execute(REPEATED, {"owners": list(owners)})
        return int(cursor.rowcount)


def delete_jobs(owners: Sequence[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(JOBS, {"owners": list(owners), "keys": [str(one) for one in owners]})
        return int(cursor.rowcount)


def drop_graphs(owners: Sequence[int]) -> int:
    """Drop the owners' own graphs of vectors."""
    pattern = f"^memory_graph_({'|'.join(str(int(one)) for one in owners)})_[0-9]+$"
    with connection.cursor() as cursor:
        cursor.execute(GRAPHS, (pattern,))
        names = [name for (name,) in cursor.fetchall()]
        for name in names:
            cursor.execute(f"drop index if exists {connection.ops.quote_name(name)}")
    return len(names)


def empty_log(rows: QuerySet) -> int:
    """Take the names of rows out of what the admin has noted of them."""
    kind = ContentType.objects.get_for_model(rows.model)
    noted = LogEntry.objects.filter(content_type=kind).exclude(object_repr="", change_message="")
    if not noted.exists():
        return 0
    if isinstance(rows.model._meta.pk, CompositePrimaryKey):  # noqa: SLF001 - as Django names it
        return 0
    named = rows.annotate(as_text=Cast("pk", TextField())).values("as_text")
    return noted.filter(object_id__in=named).update(object_repr="", change_message="")


def delete_files(owners: Sequence[int]) -> int:
    """Delete the owners' workspaces; return how many files lay there."""
    count = 0
    for owner in Owner.objects.filter(pk__in=owners):
        folder = folder_of(owner)
        if folder.is_dir():
            count += sum(1 for path in folder.rglob("*") if path.is_file())
            shutil.rmtree(folder)
    return count


def rename_in_audit(person: User, name: str) -> int:
    """Put a pseudonym in the place of the person's name in the ledger of acts."""
    changed = AuditEntry.objects.filter(actor=person.username).update(actor=name)
    return changed + AuditEntry.objects.filter(subject=person.username).update(subject=name)


def delete_account(person: User) -> dict[str, int]:
    """Delete a person's row with all that hangs on it, and sign them out everywhere."""
    CostEntry.objects.filter(user=person.pk).update(user=None)
    counts = {
        "accounts.Balance": _delete(Balance, person),
        "accounts.Budget": _delete(Budget, person),
    }
    counts["sessions.Session"] = _sign_out(person)
    empty_log(User.objects.filter(pk=person.pk))
    LogEntry.objects.filter(user=person).delete()
    person.delete()
    return counts | {"accounts.User": 1}


def _delete(model: type[Model], person: User) -> int:
    return QuerySet(model).filter(user=person).delete()[0]


def _sign_out(person: User) -> int:
    """Delete the person's logins: whose a login is stands only within it."""
    mine = [
        login.pk
        for login in Login.objects.iterator()
        if login.get_decoded().get("_auth_user_id") == str(person.pk)
    ]
    return Login.objects.filter(pk__in=mine).delete()[0]
