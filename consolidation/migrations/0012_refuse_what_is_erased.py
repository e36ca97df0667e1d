from django.db import migrations

# A row of these tables is refused: whoever writes it learns that it was not kept.
REFUSED = (
    "accounts_connection",
    "memory_session",
    "memory_chunk",
    "recall_receipt",
    "toolstream_context",
    "consolidation_contextevent",
    "consolidation_synthesisrun",
    "consolidation_dailymeasure",
    "knowledge_changeset",
    "knowledge_tombstone",
    "knowledge_knowledgedocument",
    "knowledge_entry",
    "knowledge_entryname",
    "knowledge_inboxitem",
    "knowledge_fact",
    "knowledge_arc",
    "knowledge_rule",
    "knowledge_proceduralprofile",
    "knowledge_usernarrative",
    "knowledge_scaffold",
    "knowledge_learnedinfo",
    "knowledge_scaffoldentry",
    "knowledge_contradiction",
    "knowledge_pattern",
    "knowledge_savedfact",
    "knowledge_factcategory",
)
# A batch holds the vectors of several owners: those of the others are kept.
LEFT_OUT = ("memory_embedding", "knowledge_knowledgeembedding")
# The lock waits for an erasure that is just beginning, and lets it wait for this row.
FUNCTION = """
create function accounts_owner_is_kept() returns trigger language plpgsql as $$
declare gone uuid;
begin
  select erasure into gone from accounts_owner where id = new.owner_id for key share;
  if gone is null then return new; end if;
  if tg_argv[0] = 'leave out' then return null; end if;
  raise exception 'erasure_under_way' using errcode = 'integrity_constraint_violation';
end $$
"""


def trigger(table: str, argument: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"create trigger owner_is_kept before insert on {table} for each row "
        f"execute function accounts_owner_is_kept('{argument}')",
        f"drop trigger owner_is_kept on {table}",
    )


class Migration(migrations.Migration):
    """What is still under way for an erased owner brings nothing back."""

    dependencies = [
        ("consolidation", "0011_erasure_row_security"),
        ("accounts", "0012_owner_erasure"),
        ("memory", "0012_crisis_level"),
        ("knowledge", "0020_fact_category_row_security"),
        ("recall", "0002_synthesis_receipts"),
    ]

    operations = [
        migrations.RunSQL(FUNCTION, "drop function accounts_owner_is_kept()"),
        *(trigger(table, "refuse") for table in REFUSED),
        *(trigger(table, "leave out") for table in LEFT_OUT),
    ]
