from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """An event changes its session's row without touching an index of it."""

    atomic = False
    dependencies = [("memory", "0005_summary_tokens")]

    operations = [
        AddIndexConcurrently(
            model_name="session",
            index=models.Index(
                condition=models.Q(("state", "open")), fields=["opened_at"], name="session_open"
            ),
        ),
        RemoveIndexConcurrently(model_name="session", name="session_open_since"),
        migrations.AlterField(
            model_name="event",
            name="session",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="events",
                to="memory.session",
            ),
        ),
    ]
