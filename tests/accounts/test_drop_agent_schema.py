import psycopg
import pytest

from accounts.agents import delete_agent
from accounts.logins import give_login
from accounts.models import Agent
from accounts.roles import role_name
from accounts.schemas import create_agent_schema, drop_agent_schema
from audit.models import AuditEntry
from tests.accounts.acting import ask, logged_in
from tests.factories import make_agent

pytestmark = pytest.mark.usefixtures("roles")


@pytest.fixture
def housed(porter) -> Agent:
    create_agent_schema(agent=porter)
    return porter


def left(agent: Agent) -> int:
    role = role_name("choir_" + agent.slug)
    schemas = ask("select from pg_namespace where nspname = 'choir_porter'")
    return len(schemas) + len(ask(f"select from pg_roles where rolname = '{role}'"))


def test_it_drops_the_schema_and_the_role(housed):
    drop_agent_schema(agent=housed)

    assert housed.schema_name is None
    assert left(housed) == 0


def test_what_the_role_has_open_and_made_does_not_keep_it(transactional_db, capsys):
    agent = make_agent("porter")
    create_agent_schema(agent=agent)
    role, password = give_login(agent=agent, actor="test")
    program = logged_in(role, password)
    program.execute("set default_transaction_read_only = off")
    program.execute("create function pg_temp.mine() returns int language sql as 'select 1'")

    drop_agent_schema(agent=agent)

    assert left(agent) == 0
    with pytest.raises(psycopg.OperationalError):
        program.execute("select 1")


def test_dropping_what_is_not_there_does_nothing(porter):
    drop_agent_schema(agent=porter)

    assert left(porter) == 0


def test_an_agent_is_deleted_with_its_schema(housed):
    delete_agent(agent=housed, actor="test")

    assert left(housed) == 0
    assert not Agent.objects.exists()
    assert AuditEntry.objects.filter(action="agent.delete", subject="porter").exists()
