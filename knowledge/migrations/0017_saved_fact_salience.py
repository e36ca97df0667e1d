import django.db.models.deletion
import django.db.models.functions.text
import pgvector.django.halfvec
from django.db import migrations, models


class Migration(migrations.Migration):
    """What a fact's place among an owner's facts is reckoned from, and what they are about."""

    dependencies = [
        ("accounts", "0009_connection_row_security"),
        ("knowledge", "0016_inbox_items"),
        ("memory", "0012_crisis_level"),
    ]

    operations = [
        migrations.AddField(
            model_name="savedfact",
            name="access_count",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="savedfact",
            name="decay_score",
            field=models.FloatField(db_default=1.0, default=1.0),
        ),
        migrations.AddField(
            model_name="savedfact",
            name="decayed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="savedfact",
            name="embedding",
            field=pgvector.django.halfvec.HalfVectorField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="savedfact",
            name="last_accessed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="savedfact",
            name="space",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to="memory.embeddingspace",
            ),
        ),
        migrations.AlterField(
            model_name="savedfact",
            name="source",
            field=models.CharField(
                choices=[
                    ("context_flush", "Context Flush"),
                    ("tool", "Tool"),
                    ("conversation", "Conversation"),
                    ("manual", "Manual"),
                ],
                max_length=20,
            ),
        ),
        migrations.CreateModel(
            name="FactCategory",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100)),
                ("embedding", pgvector.django.halfvec.HalfVectorField(blank=True, null=True)),
                ("additions", models.PositiveIntegerField(default=0)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.owner"
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="memory.embeddingspace",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "fact categories",
            },
        ),
        migrations.AddField(
            model_name="savedfact",
            name="filed_under",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to="knowledge.factcategory",
            ),
        ),
        migrations.AddConstraint(
            model_name="factcategory",
            constraint=models.UniqueConstraint(
                models.F("owner"),
                django.db.models.functions.text.Lower("name"),
                name="fact_category_once",
            ),
        ),
    ]
