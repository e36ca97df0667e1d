from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Holds the first event of each job alone: no other event is written to it."""

    atomic = False
    dependencies = [("memory", "0014_index_of_session_names")]

    operations = [
        AddIndexConcurrently(
            model_name="event",
            index=models.Index(
                fields=["session", "lane", "seq"],
                condition=models.Q(type="CoreJobStart"),
                name="event_core_jobs",
            ),
        ),
    ]
