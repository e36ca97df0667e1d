import accounts.ids
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import pgvector.django.bit
import pgvector.django.halfvec
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0002_lanes_and_tiers"),
        ("memory", "0002_lanes_and_tiers"),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[("note", "Note"), ("archive", "Archive")], max_length=7
                    ),
                ),
                ("content", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
            },
        ),
        migrations.CreateModel(
            name="EntryName",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="names",
                        to="knowledge.entry",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="KnowledgeDocument",
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
                ("number", models.IntegerField()),
                ("key", models.CharField(blank=True, max_length=200, null=True)),
                ("content", models.TextField()),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("language", models.CharField(max_length=20)),
                ("tokens", models.PositiveIntegerField()),
                (
                    "embedding_state",
                    models.CharField(
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
                ("embedding_attempts", models.PositiveSmallIntegerField(default=0)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "tsv",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func("owner_id", "content", function="memory_chunk_tsv"),
                        output_field=django.contrib.postgres.search.SearchVectorField(),
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="KnowledgeEmbedding",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "owner",
                        "space",
                        "document",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("document", models.IntegerField()),
                ("embedding", pgvector.django.halfvec.HalfVectorField()),
                ("bits", pgvector.django.bit.BitField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="accounts.owner",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="memory.embeddingspace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SavedFact",
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
                ("key", models.CharField(max_length=200)),
                ("value", models.TextField()),
                ("category", models.CharField(default="general", max_length=100)),
                (
                    "source",
                    models.CharField(choices=[("context_flush", "Context Flush")], max_length=20),
                ),
                ("source_session", models.UUIDField(blank=True, null=True)),
                (
                    "source_event",
                    models.CharField(blank=True, help_text="The event's reference.", max_length=35),
                ),
                ("confidence", models.FloatField(default=1.0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("owner", "number"), name="entry_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entryname",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="entry_name_once"),
        ),
        migrations.AddIndex(
            model_name="knowledgedocument",
            index=django.contrib.postgres.indexes.GinIndex(fields=["tsv"], name="knowledge_tsv"),
        ),
        migrations.AddIndex(
            model_name="knowledgedocument",
            index=models.Index(
                condition=models.Q(("embedding_state", "pending")),
                fields=["owner"],
                name="knowledge_waits_for_a_vector",
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgedocument",
            constraint=models.UniqueConstraint(
                fields=("owner", "number"), name="knowledge_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="knowledgedocument",
            constraint=models.UniqueConstraint(fields=("owner", "key"), name="knowledge_key_once"),
        ),
        migrations.AddConstraint(
            model_name="knowledgedocument",
            constraint=models.CheckConstraint(
                condition=models.Q(("key", ""), _negated=True), name="knowledge_key_not_empty"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedfact",
            constraint=models.UniqueConstraint(fields=("owner", "key"), name="saved_fact_once"),
        ),
    ]
