from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="CostEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("organization", models.UUIDField(null=True)),
                ("agent", models.UUIDField(null=True)),
                ("owner", models.IntegerField(null=True)),
                ("user", models.UUIDField(null=True)),
                ("session", models.UUIDField(null=True)),
                ("purpose", models.CharField(max_length=40)),
                ("provider", models.CharField(max_length=40)),
                ("model", models.CharField(max_length=200)),
                ("input_tokens", models.BigIntegerField(default=0)),
                ("output_tokens", models.BigIntegerField(default=0)),
                ("embedding_tokens", models.BigIntegerField(default=0)),
                ("price_version", models.CharField(max_length=40)),
                (
                    "is_unpriced",
                    models.BooleanField(default=False, help_text="No price is known of the model."),
                ),
                (
                    "micro_usd",
                    models.DecimalField(
                        decimal_places=6, help_text="Millionths of a dollar.", max_digits=24
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("reserved", "Reserved"),
                            ("settled", "Settled"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "day",
                    models.DateField(
                        help_text="In UTC: the day of the budgets that it is taken from."
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "cost entries",
                "indexes": [
                    models.Index(fields=["day", "organization"], name="cost_by_day"),
                    models.Index(
                        condition=models.Q(("state", "reserved")),
                        fields=["created_at"],
                        name="cost_unsettled",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "refused")),
                        fields=("owner", "purpose", "model", "day"),
                        name="cost_refused_once",
                    )
                ],
            },
        ),
        # The application's alone to read: there is no policy.
        migrations.RunSQL(
            "alter table audit_costentry enable row level security",
            "alter table audit_costentry disable row level security",
        ),
    ]
