import pytest

from accounts.models import Agent
from accounts.schemas import create_agent_schema
from tests.accounts.acting import ask
from tests.admin.addresses import address
from tests.factories import make_agent

pytestmark = pytest.mark.usefixtures("roles")
SCHEMAS = "select nspname from pg_namespace where nspname like 'choir%'"


def test_an_agent_made_here_gets_its_schema(desk, porter):
    shown = desk.get(address(Agent, "add")).context["adminform"].form
    form = {name: shown[name].value() or "" for name in shown.fields}
    form |= {"organization": porter.organization_id, "slug": "baker", "tools": "[]", "skills": "[]"}

    desk.post(address(Agent, "add"), form)

    assert Agent.objects.get(slug="baker").schema_name == "choir_baker"
    assert ask(SCHEMAS) == [("choir_baker",)]


def test_a_change_leaves_the_schema_as_it_is(desk, porter):
    page = desk.get(address(Agent, "change", porter.pk))
    form = page.context["adminform"].form
    values = {name: form[name].value() or "" for name in form.fields}
    values |= {"name": "The porter", "tools": "[]", "skills": "[]"}

    desk.post(address(Agent, "change", porter.pk), values)

    porter.refresh_from_db()
    assert (porter.name, porter.schema_name) == ("The porter", None)


def test_agents_are_deleted_with_their_schemas(desk, porter):
    agents = [porter, make_agent("ledger"), make_agent("baker")]
    for agent in agents:
        create_agent_schema(agent=agent)

    desk.post(address(Agent, "delete", porter.pk), {"post": "yes"})
    form = {"action": "delete_selected", "_selected_action": [a.pk for a in agents[1:]]}
    desk.post(address(Agent, "changelist"), form | {"post": "yes"})

    assert not Agent.objects.exists()
    assert ask(SCHEMAS) == []
