from django.db import migrations

LOCKED = (
    "knowledge_knowledgedocument",
    "knowledge_knowledgeembedding",
    "knowledge_knowledgeindex",
    "knowledge_entry",
    "knowledge_entryname",
    "knowledge_savedfact",
)
AGENT = """
create policy agent_reads_its_own on {table} for select using (owner_id = any(array(
  select owner.id from accounts_owner owner join accounts_agent agent on agent.id = owner.agent_id
  where agent.schema_name || '_' || left(md5(current_database()), 6) = current_user
)))
"""
READER = """
create policy reader_reads_the_named_owner on {table} for select using (
  owner_id = nullif(current_setting('recollect.owner', true), '')::integer
  and current_user = 'recollect_reader_' || left(md5(current_database()), 6)
)
"""
SHOWN = ("knowledge_knowledgedocument", "knowledge_knowledgeembedding")
SEARCHED = ("knowledge_knowledgeindex", *SHOWN)


class Migration(migrations.Migration):
    """As memory's: the owner of the tables passes by, everyone else needs a policy."""

    dependencies = [
        ("knowledge", "0004_vectors_in_the_row"),
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
                READER.format(table=table), f"drop policy reader_reads_the_named_owner on {table}"
            )
            for table in SEARCHED
        ),
    ]
