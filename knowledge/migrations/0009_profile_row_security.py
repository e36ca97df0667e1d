from django.db import migrations

LOCKED = (
    "knowledge_usernarrative",
    "knowledge_scaffold",
    "knowledge_learnedinfo",
    "knowledge_scaffoldentry",
    "knowledge_contradiction",
    "knowledge_pattern",
    "knowledge_connectioncontext",
    "toolstream_context",
)


class Migration(migrations.Migration):
    """The picture of a person is the application's alone to read: there is no policy."""

    dependencies = [("knowledge", "0008_profile_and_context_documents")]

    operations = [
        migrations.RunSQL(
            f"alter table {table} enable row level security",
            f"alter table {table} disable row level security",
        )
        for table in LOCKED
    ]
