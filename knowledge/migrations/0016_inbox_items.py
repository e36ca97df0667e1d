import accounts.ids
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What waits in inboxes is the application's alone to read: there is no policy."""

    dependencies = [
        ("accounts", "0008_connections_and_synthesis"),
        ("knowledge", "0015_entry_row_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="InboxItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("item", models.CharField(max_length=255)),
                (
                    "words",
                    models.JSONField(
                        help_text="{channel, sender, subject, text}; empty once done."
                    ),
                ),
                ("received_at", models.DateTimeField()),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                ("error_code", models.CharField(blank=True, max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("done_at", None)),
                        fields=["owner", "id"],
                        name="inbox_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "item"), name="inbox_item_once")
                ],
            },
        ),
        migrations.RunSQL(
            "alter table knowledge_inboxitem enable row level security",
            "alter table knowledge_inboxitem disable row level security",
        ),
    ]
