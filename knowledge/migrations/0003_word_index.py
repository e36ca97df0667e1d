import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_documents_entries_facts")]

    operations = [
        migrations.CreateModel(
            name="KnowledgeIndex",
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
                ("documents", models.IntegerField(default=0)),
                ("terms", models.BigIntegerField(default=0)),
            ],
        ),
    ]
