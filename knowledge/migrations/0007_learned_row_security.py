from django.db import migrations

LOCKED = (
    "knowledge_fact",
    "knowledge_arc",
    "knowledge_rule",
    "knowledge_proceduralprofile",
    "knowledge_changeset",
    "knowledge_changeitem",
    "knowledge_approvalpolicy",
    "knowledge_tombstone",
)


class Migration(migrations.Migration):
    """What was learned of a person is the application's alone to read: there is no policy."""

    dependencies = [("knowledge", "0006_facts_arcs_rules_changes")]

    operations = [
        migrations.RunSQL(
            f"alter table {table} enable row level security",
            f"alter table {table} disable row level security",
        )
        for table in LOCKED
    ]
