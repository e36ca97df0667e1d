import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_lanes_and_tiers")]

    operations = [
        migrations.CreateModel(
            name="RequestBucket",
            fields=[
                (
                    "key",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="accounts.apikey",
                    ),
                ),
                ("tokens", models.FloatField()),
                ("granted", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
        ),
        # Nobody waits for the disk on behalf of a count.
        migrations.RunSQL(
            "alter table accounts_requestbucket set unlogged",
            "alter table accounts_requestbucket set logged",
        ),
    ]
