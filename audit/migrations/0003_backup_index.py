from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest backup is asked for by every look at the console, and by every probe."""

    atomic = False
    dependencies = [("audit", "0002_cost_entries")]
    operations = [
        AddIndexConcurrently(
            model_name="auditentry",
            index=models.Index(
                fields=["action", "-at"],
                condition=models.Q(action__in=("backup.made", "restore.loaded", "restore.done")),
                name="audit_entry_backups",
            ),
        ),
    ]
