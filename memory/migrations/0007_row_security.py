from django.db import migrations

# The tables' owner, which is the application, passes by at no cost. Not forced on it: a policy that
# lets it see all would protect nothing, and COPY and pg_dump refuse tables with one.
LOCKED = (
    "memory_session",
    "memory_sessionstep",
    "memory_event",
    "memory_lanewindow",
    "memory_referencesummary",
    "memory_compactmarker",
    "memory_snapshot",
    "memory_chunk",
    "memory_ownerindex",
    "memory_posting",
    "memory_term",
    "memory_embedding",
)
# Whoever reads through an agent's view is that agent's role: the view's owner is not `current_user`.
AGENT = """
create policy agent_reads_its_own on {table} for select using (owner_id = any(array(
  select owner.id from accounts_owner owner join accounts_agent agent on agent.id = owner.agent_id
  where agent.schema_name || '_' || left(md5(current_database()), 6) = current_user
)))
"""
READER = """
create policy reader_reads_the_named_owner on {table} for select using (
  owner_id = nullif(current_setting('recollect.owner', true), '')::integer
  and current_user = 'recollect_reader_' || left(md5(current_database()), 6) {ended}
)
"""
ENDED = {
    # What is still being said is nobody else's to read.
    "memory_session": "and state <> 'open'",
    "memory_event": "and session_id in (select id from memory_session where state <> 'open')",
}
SHOWN = ("memory_chunk", "memory_embedding")
SEARCHED = (
    "memory_session",
    "memory_event",
    "memory_ownerindex",
    "memory_posting",
    "memory_term",
    *SHOWN,
)


class Migration(migrations.Migration):
    """Whoever is neither the owner of the tables nor let in by a policy sees no row."""

    dependencies = [
        ("memory", "0006_indexes_that_events_leave_alone"),
        ("accounts", "0004_agent_schema_name"),
    ]

    operations = [
        *(
            migrations.RunSQL(
                f"alter table {table} enable row level security",
                f"alter table {table} disable row level security",
            )
            for table in LOCKED
        ),
        *(
            migrations.RunSQL(
                AGENT.format(table=table), f"drop policy agent_reads_its_own on {table}"
            )
            for table in SHOWN
        ),
        *(
            migrations.RunSQL(
                READER.format(table=table, ended=ENDED.get(table, "")),
                f"drop policy reader_reads_the_named_owner on {table}",
            )
            for table in SEARCHED
        ),
    ]
