from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("memory", "0003_sessions_in_mid_term")]

    operations = [
        AddIndexConcurrently(
            model_name="session",
            index=models.Index(
                condition=models.Q(("tier", "mid_term")),
                fields=["owner", "ended_at"],
                name="session_mid_term",
            ),
        ),
        AddIndexConcurrently(
            model_name="session",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["last_event_at"],
                name="session_open_since",
            ),
        ),
    ]
