import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_lanes_and_tiers"),
        ("memory", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="CompactMarker",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "lane",
                    models.CharField(choices=[("edge", "Edge"), ("core", "Core")], max_length=4),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "seq",
                    models.PositiveIntegerField(
                        help_text="The lane's last event when it was planned."
                    ),
                ),
                (
                    "folded",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), size=None
                    ),
                ),
                ("archive_name", models.CharField(max_length=200)),
                ("archived_at", models.DateTimeField()),
            ],
            options={
                "ordering": ("number",),
            },
        ),
        migrations.CreateModel(
            name="ReferenceSummary",
            fields=[
                (
                    "window",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="summary",
                        serialize=False,
                        to="memory.lanewindow",
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("facts", models.JSONField(blank=True, default=list)),
                ("referenced_sessions", models.JSONField(blank=True, default=list)),
                ("referenced_events", models.JSONField(blank=True, default=list)),
                ("version", models.PositiveIntegerField(default=0)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "verbose_name_plural": "reference summaries",
            },
        ),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("lanes", models.JSONField()),
                ("summary", models.TextField(blank=True)),
                ("is_final", models.BooleanField(default=False)),
                ("taken_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "get_latest_by": "id",
            },
        ),
        migrations.AddField(
            model_name="lanewindow",
            name="calibration",
            field=models.FloatField(
                default=1.0,
                help_text="Real tokens per estimated token, as clients reported; at least 1.",
            ),
        ),
        migrations.AddField(
            model_name="lanewindow",
            name="flush_armed",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="lanewindow",
            name="kept",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(), blank=True, default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="lanewindow",
            name="start_seq",
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="session",
            name="summary",
            field=models.TextField(blank=True, help_text="Written at its end; empty when skipped."),
        ),
        migrations.AddField(
            model_name="session",
            name="tier",
            field=models.CharField(
                blank=True,
                choices=[("mid_term", "Mid Term"), ("long_term", "Long Term")],
                help_text="Empty until its chunks are written.",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="chunk",
            name="embedding_state",
            field=models.CharField(
                choices=[
                    ("pending", "Pending"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("dropped", "Dropped"),
                ],
                default="pending",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            model_name="chunk",
            name="kind",
            field=models.CharField(
                choices=[
                    ("tool_sequence", "Tool Sequence"),
                    ("skill_phase", "Skill Phase"),
                    ("fixed", "Fixed"),
                    ("summary", "Summary"),
                ],
                max_length=13,
            ),
        ),
        migrations.AlterField(
            model_name="posting",
            name="unit",
            field=models.SmallIntegerField(
                choices=[(0, "Chunk"), (1, "Session"), (2, "Knowledge")]
            ),
        ),
        migrations.AlterField(
            model_name="session",
            name="end_reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("explicit", "Explicit"),
                    ("web", "Web"),
                    ("import", "Import"),
                    ("inactivity", "Inactivity"),
                    ("shutdown", "Shutdown"),
                    ("transcript", "Transcript"),
                    ("agent_stop", "Agent Stop"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="sessionstep",
            name="state",
            field=models.CharField(
                choices=[
                    ("due", "Due"),
                    ("done", "Done"),
                    ("skipped", "Skipped"),
                    ("failed", "Failed"),
                ],
                default="due",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            model_name="term",
            name="unit",
            field=models.SmallIntegerField(
                choices=[(0, "Chunk"), (1, "Session"), (2, "Knowledge")]
            ),
        ),
        migrations.AddField(
            model_name="compactmarker",
            name="session",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="markers",
                to="memory.session",
            ),
        ),
        migrations.AddField(
            model_name="snapshot",
            name="session",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="snapshots",
                to="memory.session",
            ),
        ),
        migrations.AddConstraint(
            model_name="compactmarker",
            constraint=models.UniqueConstraint(
                fields=("session", "lane", "number"), name="compact_marker_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="snapshot",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_final", True)),
                fields=("session",),
                name="snapshot_final_once",
            ),
        ),
    ]
