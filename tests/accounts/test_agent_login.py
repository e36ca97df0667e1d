import psycopg
import pytest
from django.core.management import CommandError, call_command

from accounts.models import Agent
from accounts.schemas import create_agent_schema, drop_agent_schema
from audit.models import AuditEntry
from tests.accounts.acting import ask, logged_in
from tests.factories import make_agent


@pytest.fixture
def housed(transactional_db, roles):
    agent = make_agent("porter")
    create_agent_schema(agent=agent)
    yield agent
    drop_agent_schema(agent=agent)


def log_in(capsys) -> tuple[str, str]:
    """Return the role and the password that the command prints."""
    call_command("agent_login", "porter", organization="home")
    words = capsys.readouterr().out.split()
    return words[1], words[3]


def test_it_prints_a_role_and_a_password_with_which_one_logs_in(housed: Agent, capsys):
    role, password = log_in(capsys)

    with logged_in(role, password) as program:
        assert program.execute("select current_user").fetchone() == (role,)
    assert AuditEntry.objects.filter(action="agent.login", subject="porter").exists()


@pytest.mark.usefixtures("superuser")
def test_the_server_is_given_a_hash_of_the_password(housed: Agent, capsys):
    role, password = log_in(capsys)

    ((stored,),) = ask(f"select rolpassword from pg_authid where rolname = '{role}'")

    assert stored.startswith("SCRAM-SHA-256$")
    assert password not in stored


def test_a_login_reads_only_and_not_for_long(housed: Agent, capsys):
    with logged_in(*log_in(capsys)) as program:
        assert program.execute("show statement_timeout").fetchone() == ("5s",)
        assert program.execute("show default_transaction_read_only").fetchone() == ("on",)
        assert program.execute("show search_path").fetchone() == ("choir_porter",)


def test_revoking_ends_what_is_open_and_what_would_come(housed: Agent, capsys):
    role, password = log_in(capsys)
    program = logged_in(role, password)

    call_command("agent_login", "porter", organization="home", revoke=True)

    with pytest.raises(psycopg.OperationalError):
        program.execute("select 1")
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        logged_in(role, password)
    assert AuditEntry.objects.filter(action="agent.login_revoke").exists()


def test_without_a_schema_it_says_how_to_get_one(porter):
    with pytest.raises(CommandError, match="agent_schemas"):
        call_command("agent_login", "porter", organization="home")


def test_an_unknown_agent_is_refused(db):
    with pytest.raises(CommandError, match="no agent nobody"):
        call_command("agent_login", "nobody")
