"""Brings a database to what this version needs: checked, migrated, with someone to log in."""

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection

from accounts.keys import find_key, issue_key
from accounts.models import Agent
from accounts.modes import RetentionMode, mode_named
from accounts.schemas import agents_without_schema, ensure_schemas
from accounts.setup import first_run
from audit.models import AuditEntry
from memory_project.address import reached_at
from memory_project.diagnosis import NOT_CREATED, database, extension, restored
from memory_project.facts import InstallationFacts, remembered


class DatabaseUnfit(Exception):
    """The database cannot be used as it is; the text says why, and what to do."""


def prepare() -> InstallationFacts:
    """Check, migrate and fill what is missing. Raises DatabaseUnfit."""
    for check in (database, extension):
        finding = check()
        if not finding.is_ok and finding.message != NOT_CREATED:
            raise DatabaseUnfit(f"{finding.name}: {finding.message}. {finding.fix}")
    try:
        _check_restored()
        migrate()
        return _settle()
    except DatabaseError as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise DatabaseUnfit(f"cannot set up the database: {said[0]}") from error


def _check_restored() -> None:
    """Raise DatabaseUnfit while what was erased may still be in the database."""
    if AuditEntry._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - Django's public name
        return
    finding = restored()
    if not finding.is_ok:
        raise DatabaseUnfit(f"a restore {finding.message}. {finding.fix}")


def migrate() -> None:
    with connection.cursor() as cursor:
        # Changing a large table takes longer than a request may.
        cursor.execute("set statement_timeout = 0")
        call_command("migrate", interactive=False, verbosity=0)
        cursor.execute("reset statement_timeout")


def _settle() -> InstallationFacts:
    made = first_run()
    ensure_schemas(agents_without_schema())
    if mode_named(settings.MODE) is not RetentionMode.INCOGNITO:
        call_command("load_sample")
    data = settings.DATA_DIR
    return InstallationFacts(
        url=f"http://{reached_at(settings.BIND)}:{settings.PORT}",
        operator_login=made.operator_login,
        operator_password=made.operator_password or remembered(data, "operator_password"),
        agent=made.agent,
        agent_key=made.agent_key or _known_key(made.agent),
    )


def _known_key(agent: str) -> str:
    """Return the key an earlier start wrote down, or a new one: the database holds digests only."""
    known = remembered(settings.DATA_DIR, "agent_key")
    if known and find_key(known):
        return known
    row = Agent.objects.select_related("organization").get(slug=agent, organization__slug="default")
    return issue_key(organization=row.organization, agent=row, actor="setup", name="up").text
