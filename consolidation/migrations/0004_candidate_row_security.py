from django.db import migrations


class Migration(migrations.Migration):
    """What the gate looked at is the application's alone to read."""

    dependencies = [("consolidation", "0003_candidates")]

    operations = [
        migrations.RunSQL(
            f"alter table {table} enable row level security",
            f"alter table {table} disable row level security",
        )
        for table in ("consolidation_candidate", "consolidation_learningrun")
    ]
