from django.db import migrations, models


class Migration(migrations.Migration):
    """A changeset may be what came in from a file."""

    dependencies = [
        ("knowledge", "0021_changeset_indexes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="changeset",
            name="origin",
            field=models.CharField(
                choices=[
                    ("turn", "Turn"),
                    ("session_end", "Session End"),
                    ("synthesis", "Synthesis"),
                    ("retention", "Retention"),
                    ("person", "Person"),
                    ("operator", "Operator"),
                    ("agent", "Agent"),
                    ("revert", "Revert"),
                    ("import", "Import"),
                ],
                max_length=11,
            ),
        ),
    ]
