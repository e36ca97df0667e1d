import accounts.ids
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Imports: what comes in from a file, and how far it is."""

    dependencies = [
        ("accounts", "0012_owner_erasure"),
        ("consolidation", "0012_refuse_what_is_erased"),
    ]

    operations = [
        migrations.CreateModel(
            name="Import",
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
                ("actor", models.CharField(max_length=100)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("ready", "waits to be confirmed"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="ready",
                        max_length=7,
                    ),
                ),
                ("file", models.BinaryField(null=True)),
                (
                    "told_of",
                    models.CharField(help_text="Whom the file calls the person.", max_length=255),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField(blank=True, default=dict)),
                ("changeset", models.UUIDField(blank=True, null=True)),
                ("error_code", models.CharField(blank=True, max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["owner", "-created_at"], name="import_newest")],
            },
        ),
    ]
