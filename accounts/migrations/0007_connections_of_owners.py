import django.db.models.deletion
from django.db import migrations, models


def empty(apps, schema_editor):
    """A connection of a user names no agent, so no owner can be told from it."""
    apps.get_model("accounts", "Connection").objects.all().delete()


class Migration(migrations.Migration):
    """A connection is what one agent knows of a user's tool."""

    dependencies = [("accounts", "0006_agent_learns")]

    operations = [
        migrations.RunPython(empty, migrations.RunPython.noop),
        migrations.RemoveConstraint("connection", "connection_once"),
        migrations.RemoveField("connection", "user"),
        migrations.AddField(
            "connection",
            "owner",
            models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "connection",
            models.UniqueConstraint(fields=("owner", "tool", "name"), name="connection_once"),
        ),
    ]
