from django.db import migrations

LOCKED = ("knowledge_entryterm", "knowledge_entryindex")


class Migration(migrations.Migration):
    """What entries are found by is the application's alone to read: there is no policy."""

    dependencies = [("knowledge", "0014_index_entries")]

    operations = [
        migrations.RunSQL(
            f"alter table {table} enable row level security",
            f"alter table {table} disable row level security",
        )
        for table in LOCKED
    ]
