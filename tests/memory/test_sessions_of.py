from memory.references import sessions_of
from tests.factories import make_agent, make_session

EVENT = "ev-" + "1" * 32


def test_only_sessions_of_the_agent_are_known(porter, rival):
    mine, other = make_session(porter), make_session(rival)

    found = sessions_of(porter, [str(mine.pk), str(other.pk), EVENT, "no id"])

    assert found == {str(mine.pk)}


def test_another_agent_of_the_organization_is_another(porter):
    other = make_session(make_agent("second"))

    assert sessions_of(porter, [str(other.pk)]) == frozenset()
