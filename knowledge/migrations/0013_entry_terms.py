import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_connection_row_security"),
        ("knowledge", "0012_context_without_a_vector"),
    ]

    operations = [
        migrations.CreateModel(
            name="EntryIndex",
            fields=[
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to="accounts.owner",
                    ),
                ),
                ("number", models.IntegerField(default=0)),
                ("entries", models.IntegerField(default=0)),
                ("terms", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name="entry",
            name="length",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="entry",
            name="updated_at",
            field=models.DateTimeField(
                auto_now=True, db_default=django.db.models.functions.datetime.Now()
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="version",
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AlterField(
            model_name="entry",
            name="created_at",
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False),
        ),
        migrations.CreateModel(
            name="EntryTerm",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "owner",
                        "term",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("term", models.CharField(max_length=200)),
                ("number", models.IntegerField()),
                ("count", models.IntegerField()),
                (
                    "owner",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="accounts.owner",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["owner", "number"], name="entry_terms")],
            },
        ),
    ]
