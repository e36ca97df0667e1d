"""Connections, and what is learned of each."""

import pytest

from accounts.models import Connection
from accounts.owners import resolve_owner, scope_of
from audit.models import AuditEntry
from knowledge.connections import (
    change_connection,
    connect,
    disconnect,
    find_connection,
    merged,
    update_connection_context,
)
from knowledge.errors import (
    ConnectionChanged,
    ConnectionExists,
    ConnectionUnfit,
    ConnectionUnknown,
)


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def make(owner, **fields) -> Connection:
    return connect(owner=owner, actor="test", fields={"tool": "tracker", **fields})


@pytest.mark.requirement("TS-65")
def test_a_new_connection_has_learned_nothing(alice):
    made = make(alice)

    made.refresh_from_db()
    assert (made.persistent_learned_info, made.version, made.is_active) == ({}, 1, True)


def test_of_a_tool_and_a_name_there_is_one(alice):
    make(alice)
    other = make(alice, name="work")

    with pytest.raises(ConnectionExists):
        make(alice)
    with pytest.raises(ConnectionExists):
        change_connection(connection=other, actor="test", fields={"name": ""})


@pytest.mark.requirement("TS-66")
def test_what_is_learned_is_merged_name_by_name(alice):
    made = make(alice, persistent_learned_info={"project": "A", "style": {"long": True, "n": [1]}})

    changed = update_connection_context(
        connection=made,
        learned_info={"project": None, "style": {"n": [2], "bold": {"x": None}}, "new": 1},
    )

    assert changed.persistent_learned_info == {
        "style": {"long": True, "n": [2], "bold": {}},
        "new": 1,
    }
    assert changed.version == 2


def test_what_is_known_already_changes_no_version(alice):
    made = make(alice, persistent_learned_info={"project": "A"})

    assert update_connection_context(connection=made, learned_info={"project": "A"}).version == 1


def test_a_change_is_of_the_version_that_was_seen(alice):
    made = make(alice)
    change_connection(connection=made, actor="test", fields={"is_active": False}, version=1)

    with pytest.raises(ConnectionChanged) as caught:
        change_connection(connection=made, actor="test", fields={"name": "x"}, version=1)
    assert caught.value.detail == {"version": 2}
    with pytest.raises(ConnectionChanged):
        update_connection_context(connection=made, learned_info={"a": 1}, version=1)
    with pytest.raises(ConnectionChanged):
        disconnect(connection=made, actor="test", version=1)


def test_what_is_learned_is_bounded(alice):
    made = make(alice)
    deep: dict[str, object] = {}
    for _ in range(11):
        deep = {"a": deep}

    with pytest.raises(ConnectionUnfit):
        update_connection_context(connection=made, learned_info={"a": "x" * 16_384})
    with pytest.raises(ConnectionUnfit):
        merged({}, deep)
    made.refresh_from_db()
    assert made.persistent_learned_info == {}


@pytest.mark.parametrize(
    "fields", [{"refresh": "http"}, {"schema_url": "https://tracker.test/schema"}]
)
def test_an_address_goes_with_fetching_alone(alice, fields):
    with pytest.raises(ConnectionUnfit):
        make(alice, **fields)
    assert not Connection.objects.exists()


def test_what_was_disconnected_is_gone_and_noted(alice):
    made = make(alice)
    disconnect(connection=made, actor="test")

    for change in (
        lambda: disconnect(connection=made, actor="test"),
        lambda: update_connection_context(connection=made, learned_info={}),
        lambda: find_connection(scope=scope_of(alice.agent), connection=made.pk),
    ):
        with pytest.raises(ConnectionUnknown):
            change()
    actions = AuditEntry.objects.values_list("action", flat=True)
    assert {"connection.create", "connection.delete"} <= set(actions)


def test_nobody_finds_anothers(alice, porter, rival):
    made = make(alice)
    bob = resolve_owner(agent=porter, user="bob")

    assert find_connection(scope=scope_of(porter, owner=alice.pk), connection=made.pk) == made
    for scope in (scope_of(porter, owner=bob.pk), scope_of(rival)):
        with pytest.raises(ConnectionUnknown):
            find_connection(scope=scope, connection=made.pk)
