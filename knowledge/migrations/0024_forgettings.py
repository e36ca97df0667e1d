import accounts.ids
import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What a person had forgotten is the application's alone to read: there is no policy."""

    dependencies = [
        ("accounts", "0012_owner_erasure"),
        ("knowledge", "0023_indexes_of_lists"),
    ]

    operations = [
        migrations.CreateModel(
            name="Forgetting",
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
                    "items",
                    models.PositiveIntegerField(help_text="How many were chosen to be forgotten."),
                ),
                ("contents", models.JSONField(blank=True, null=True)),
                (
                    "tombstones",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), blank=True, default=list, size=None
                    ),
                ),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), blank=True, default=list, size=None
                    ),
                ),
                (
                    "chunks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), blank=True, default=list, size=None
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("final_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["owner", "-made_at"], name="forgetting_newest"),
                    models.Index(
                        condition=models.Q(("contents__isnull", False)),
                        fields=["final_at"],
                        name="forgetting_due",
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "alter table knowledge_forgetting enable row level security",
            "alter table knowledge_forgetting disable row level security",
        ),
    ]
