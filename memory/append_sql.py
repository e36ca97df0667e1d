"""The SQL of the path that every event takes: append to the log, in as few trips as there can be.

Written by hand because an event costs PostgreSQL less than the ORM needs to ask for it.
"""

# In the model's order, each with its type on the wire.
COLUMNS = {
    "id": "uuid",
    "owner_id": "int4",
    "session_id": "uuid",
    "lane": "varchar",
    "seq": "int4",
    "type": "varchar",
    "payload": "jsonb",
    "salt": "bytea",
    "commitment": "bytea",
    "prev_hash": "bytea",
    "hash": "bytea",
    "tokens": "int4",
    "tool_call_id": "varchar",
    "skill_phase": "varchar",
    "occurred_at": "timestamptz",
    "committed_at": "timestamptz",
}
# Where APPEND finds what a draft does not bring.
PLACE = {
    "owner_id": "owner_id",
    "session_id": "id",
    "seq": "seq",
    "prev_hash": "prev_hash",
    "hash": "hash",
    "occurred_at": "coalesce(%(occurred_at)s, last_event_at)",
    "committed_at": "last_event_at",
}
# The lane's row is locked under the session's: who waited reads what the writer before it wrote.
LOCK = """
with touched as (
  update memory_session set last_event_at = clock_timestamp()
  where id = %s and state = 'open' returning id, last_event_at
)
select lane.lane, lane.last_seq, lane.head, touched.last_event_at
from touched join memory_lanewindow lane on lane.session_id = touched.id for update of lane
"""
COPY = f"copy memory_event ({', '.join(COLUMNS)}) from stdin (format binary)"
ADVANCE = """
update memory_lanewindow old set last_seq = new.last_seq, head = new.head
from unnest(%s::text[], %s::int[], %s::bytea[]) as new (lane, last_seq, head)
where old.session_id = %s and old.lane = new.lane
"""
# All of the above for one event, in one trip: the hash is made where the one before it is known,
# as `event_hash` makes it.
APPEND = f"""
with touched as (
  update memory_session set last_event_at = clock_timestamp()
  where id = %(session)s and state = 'open' returning id, owner_id, last_event_at
),
place as (
  select touched.*, lane.last_seq + 1 seq,
         case when lane.last_seq = 0 then %(first)s else lane.head end prev_hash
  from touched join memory_lanewindow lane on lane.session_id = touched.id
  where lane.lane = %(lane)s for update of lane
),
chained as (
  select place.*, sha256(
    convert_to(format('["%%s","%%s",%%s,"%%s"]', id, %(lane)s::text, seq, %(type)s::text), 'UTF8')
    || %(commitment)s || prev_hash
  ) hash from place
),
advanced as (
  update memory_lanewindow old set last_seq = chained.seq, head = chained.hash
  from chained where old.session_id = chained.id and old.lane = %(lane)s
)
insert into memory_event ({", ".join(COLUMNS)})
select {", ".join(PLACE.get(name, f"%({name})s") for name in COLUMNS)} from chained
returning {", ".join(PLACE)}
"""  # noqa: S608 - names of our own columns
