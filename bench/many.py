"""One owner with so many rows in every list: copies of one row each, written by the database."""

import time
from uuid import UUID

import psycopg
from django.db.models import Model

from accounts.models import Owner, User
from audit.models import AuditEntry, CostEntry
from consolidation.models import Candidate, ContextEvent, Job
from knowledge.models import (
    Arc,
    ChangeItem,
    Changeset,
    ContextDocument,
    Entry,
    Fact,
    Rule,
    SavedFact,
)
from memory.models import Chunk, Event, Session
from recall.models import Receipt

# An id that begins with its time, as those do that the application makes; the newest has the last n.
# One every five minutes, so that the last of 100,000 is of today and a month has 8,640.
STEP = 300
BEGUN = int(time.time()) - 100_000 * STEP
ID = f"(lpad(to_hex(({BEGUN} + n * {STEP}::bigint) * 1000), 12, '0') || '7' || substr(md5({{0}} || n), 1, 3) || '8' || substr(md5({{0}} || n), 4, 15))::uuid"
AT = f"to_timestamp({BEGUN} + n * {STEP}::bigint)"
WORDS = "'word' || (n * 7 % 5003) || ' said number ' || n || ' ' || md5(n::text)"
ACTIVE_RULES = 20


def id_at(number: int) -> UUID:
    """Return an id of the time of a row; those before it are older."""
    return UUID(int=(BEGUN + number * STEP) * 1000 << 80)


def id_of(kind: str) -> str:
    return ID.format(f"'{kind}'")


def fill_many(raw: psycopg.Connection, session: Session, last: int, first: int = 1) -> None:
    """Write rows for each list, the first to the last of them; the last is the newest."""
    owner, made = session.owner, {"created_at": AT}
    learned = {"id": id_of("item"), **made, "superseded_by": "''", "version": "1"}
    sets: list[tuple[type[Model], dict[str, str]]] = [
        (Session, {"id": id_of("session"), "number": "n + 1000", "external_id": f"'talk ' || {WORDS}",
                   "state": "'closed'", "opened_at": AT, "last_event_at": AT, "ended_at": AT}),
        (Event, {"id": id_of("event"), "session_id": f"'{session.pk}'", "seq": "n + 1000",
                 "payload": f"jsonb_build_object('content', {WORDS})", "committed_at": AT,
                 "hash": "sha256(n::text::bytea)", "occurred_at": AT}),
        (Chunk, {"id": id_of("chunk"), "session_id": f"'{session.pk}'", "number": "n + 1000",
                 "block": "n + 1000", "first_seq": "n + 1000", "last_seq": "n + 1000", "text": WORDS,
                 "embedding_state": "'done'", **made}),
        (Fact, learned | {"object": WORDS, "evidence_quote": WORDS, "dormant_at": "null"}),
        (Arc, learned | {"session": id_of("session"), "summary": WORDS, "started_at": AT, "ended_at": AT}),
        (Rule, learned | {"text": WORDS, "dormant_at": f"case when n > {ACTIVE_RULES} then {AT} end"}),
        (Changeset, {"id": id_of("set"), "run_key": "'many ' || n", "origin": "'turn'", "actor": "''", **made}),
        (ChangeItem, {"changeset_id": id_of("set"), "place": "0", "target": id_of("item"),
                      "state": "case when n % 10 = 0 then 'waiting' else 'applied' end"}),
        (Candidate, {"session_id": id_of("session"), "turn": "n % 30000", "place": "0", **made,
                     "state": "case when n % 3 = 0 then 'held' else 'dropped' end"}),
        (Job, {"key": "'many ' || n", "state": "case when n % 50 = 0 then 'dead' else 'done' end",
               "kind": "case when n % 2 = 0 then 'embed' else 'learn' end", **made, "finished_at": AT}),
        (Receipt, {"id": id_of("receipt"), "query": WORDS, **made}),
        (Entry, {"number": "n + 1000", "name": "'note ' || n", "content": WORDS, **made, "updated_at": AT}),
        (SavedFact, {"id": id_of("saved"), "key": "'key ' || n", "value": WORDS, **made}),
        (AuditEntry, {"actor": "'operator'", "action": "case when n % 2 = 0 then 'memory.view' else 'crisis.read' end",
                      "subject": f"'{owner.pk}:overview'", "at": AT}),
        (CostEntry, {"agent": f"'{owner.agent_id}'", "day": "current_date - (n % 300)::int", **made}),
        (ContextEvent, {"id": id_of("observed"), "key": "'many ' || n", "processed": "true",
                        "set_aside_at": "null", **made}),
        (ContextDocument, {"id": id_of("document"), "content": WORDS, "embedding_state": "'done'", **made}),
        (User, {"id": id_of("user"), "username": "'user many ' || n", "external_id": "'many ' || n"}),
        (Owner, {"user_id": id_of("user"), "key": "'many ' || n", "erasure": "null", **made}),
    ]  # fmt: skip
    for model, own in sets:
        _copy(raw, model, own, first, last)
    # Besides the one long session, a word or two in each of the others.
    elsewhere = {"session_id": id_of("session"), "seq": "1", "number": "n + 1000000"}
    places = {"first_seq": "1", "last_seq": "1", "block": "n + 1000000", "text": WORDS}
    for model in (Event, Chunk):
        _copy(raw, model, elsewhere | places | {"id": id_of("other")}, first, last)


def _copy(
    raw: psycopg.Connection, model: type[Model], own: dict[str, str], first: int, last: int
) -> None:
    """Repeat the newest row of a table with some columns anew; ids of numbers count themselves."""
    table, key = model._meta.db_table, model._meta.pk.column  # noqa: SLF001
    known = "select column_name from information_schema.columns where table_name = %s and is_generated = 'NEVER' and table_schema = current_schema()"
    names = [
        name for (name,) in raw.execute(known, (table,)).fetchall() if name in own or name != key
    ]
    values = ", ".join(own.get(name, f'one."{name}"') for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    prototype = f"(select * from {table} order by {key} desc limit 1) one"
    raw.execute(
        f"insert into {table} ({columns}) select {values} from {prototype}, generate_series({first}, {last}) n"
    )
