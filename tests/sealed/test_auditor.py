"""Who may read what is sealed: the auditor's role, and no other."""

import pytest
from django.db import ProgrammingError, connection, transaction

from accounts.roles import SEALED, Role, execute, prepare_roles, ready_role, role_name
from accounts.schemas import create_agent_schema
from accounts.sealed.auditor import as_auditor
from crisis.log import STORED, Detection, count_crises, report_crisis
from feedback.record import record_feedback
from tests.accounts.acting import acting_as, ask
from tests.factories import make_session

pytestmark = pytest.mark.usefixtures("roles")


@pytest.fixture
def kept(porter):
    """Return a session of which both ledgers hold a record."""
    prepare_roles()
    session = make_session(porter)
    detection = Detection(level=2, classifier_path="llm_primary")
    report_crisis(session=session.pk, owner=session.owner, detection=detection)
    record_feedback(session=session.pk, owner=session.owner, label="positive", turns=3)
    return session


@pytest.fixture
def plain(kept, superuser) -> str:
    """Return a role that is what an application is at a server of others: it owns, and is no superuser."""
    name = role_name("plain")
    execute("create role {role} nologin createrole", role=name)
    execute("set constraints all immediate")
    for (table,) in ask("select tablename from pg_tables where schemaname = current_schema()"):
        execute("alter table {table} owner to {role}", table=table, role=name)
    database = connection.settings_dict["NAME"]
    execute("grant create on database {database} to {role}", database=database, role=name)
    execute("grant usage, create on schema public to {role} with grant option", role=name)
    for role in Role:
        execute(
            "grant {own} to {role} with admin true, inherit false",
            own=role_name(role.value),
            role=name,
        )
    return name


def denied(text: str) -> bool:
    try:
        with transaction.atomic():
            ask(text)
    except ProgrammingError as error:
        return "permission denied" in str(error)
    return False


@pytest.mark.requirement("OC-60")
@pytest.mark.parametrize("table", SEALED)
def test_neither_an_agent_s_role_nor_the_reader_nor_the_views_may_read(porter, kept, table):
    create_agent_schema(agent=porter)
    names = [role_name(porter.schema_name), *(role_name(r.value) for r in Role if r != Role.AUDIT)]

    for name in names:
        with acting_as(name):
            assert denied(f"select from {table}")
            assert denied(f"delete from {table}")
            assert denied(f"insert into {table} default values")


@pytest.mark.requirement("OC-60")
@pytest.mark.parametrize("table", SEALED)
def test_an_application_that_is_no_superuser_reads_only_as_the_auditor(plain, table):
    with acting_as(plain):
        prepare_roles()
        assert denied(f"select from {table}")
        assert denied(f"insert into {table} default values")

        with as_auditor():
            assert len(ask(f"select from {table}")) == 1
        assert denied(f"select from {table}")


def test_such_an_application_writes_and_counts_all_the_same(plain, kept):
    with acting_as(plain):
        prepare_roles()
        detection = Detection(level=3, classifier_path="override")
        kept_as = report_crisis(session=kept.pk, owner=kept.owner, detection=detection)

        assert (kept_as.value, count_crises(owner=kept.owner)) == ("recorded", 2)


def test_a_grant_given_by_mistake_shows_nothing(porter, kept):
    create_agent_schema(agent=porter)
    role = role_name(porter.schema_name)
    execute("grant select on crisis_crisisrecord to {role}", role=role)

    with acting_as(role):
        assert ask("select from crisis_crisisrecord") == []


def test_what_fails_as_the_auditor_leaves_us_ourselves(kept):
    before = ask("select current_user")

    with pytest.raises(ProgrammingError), transaction.atomic(), as_auditor():
        ask("select from accounts_user")

    assert ask("select current_user") == before


@pytest.mark.django_db
def test_without_the_role_the_application_keeps_its_records_itself(porter):
    assert ready_role(Role.AUDIT) is None
    session = make_session(porter)

    detection = Detection(level=1, classifier_path="llm_primary")
    report_crisis(session=session.pk, owner=session.owner, detection=detection)

    assert STORED.count() == 1
