from django.db import migrations

LOCKED = ("consolidation_contextevent", "consolidation_synthesisrun")


class Migration(migrations.Migration):
    """Observations are the application's alone to read: there is no policy."""

    dependencies = [("consolidation", "0005_context_events")]

    operations = [
        migrations.RunSQL(
            f"alter table {table} enable row level security",
            f"alter table {table} disable row level security",
        )
        for table in LOCKED
    ]
