import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("consolidation", "0001_initial"),
        ("memory", "0002_lanes_and_tiers"),
    ]

    operations = [
        migrations.CreateModel(
            name="CompactionRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "lane",
                    models.CharField(choices=[("edge", "Edge"), ("core", "Core")], max_length=4),
                ),
                (
                    "strategy",
                    models.CharField(
                        choices=[
                            ("reference_summary", "Reference Summary"),
                            ("summarize_tail", "Summarize Tail"),
                            ("archive", "Archive"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "trigger",
                    models.CharField(
                        choices=[
                            ("automatic", "Automatic"),
                            ("api", "Api"),
                            ("tool", "Tool"),
                            ("message", "Message"),
                            ("command", "Command"),
                            ("admin", "Admin"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "Planned"),
                            ("replied", "Replied"),
                            ("applied", "Applied"),
                            ("failed", "Failed"),
                        ],
                        default="planned",
                        max_length=7,
                    ),
                ),
                (
                    "folded",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                (
                    "start_seq",
                    models.PositiveIntegerField(
                        help_text="The window's start when it was planned."
                    ),
                ),
                (
                    "next_start_seq",
                    models.PositiveIntegerField(help_text="Its start once applied."),
                ),
                (
                    "next_kept",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                (
                    "last_seq",
                    models.PositiveIntegerField(help_text="Nothing after this event is touched."),
                ),
                ("summary_version", models.PositiveIntegerField(default=0)),
                ("tokens_before", models.PositiveIntegerField(default=0)),
                ("reply", models.JSONField(blank=True, null=True)),
                ("error_code", models.CharField(blank=True, max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memory.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["session", "lane", "-id"], name="compaction_of_lane")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("planned", "replied"))),
                        fields=("session", "lane"),
                        name="compaction_one_at_a_time",
                    )
                ],
            },
        ),
    ]
