import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_connection_row_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="Balance",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "micro_usd",
                    models.DecimalField(
                        decimal_places=6, help_text="Millionths of a dollar.", max_digits=24
                    ),
                ),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("micro_usd__gte", 0)), name="balance_not_below_zero"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Budget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "micro_usd",
                    models.DecimalField(
                        decimal_places=6, help_text="Millionths of a dollar per day.", max_digits=24
                    ),
                ),
                (
                    "spent_micro_usd",
                    models.DecimalField(decimal_places=6, default=0, editable=False, max_digits=24),
                ),
                ("day", models.DateField(editable=False, null=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="accounts.agent",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="accounts.organization"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "agent", "user"),
                        name="budget_once",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("micro_usd__gte", 0)), name="budget_not_below_zero"
                    ),
                ],
            },
        ),
        # The application's alone to read: there is no policy.
        migrations.RunSQL(
            "alter table accounts_balance enable row level security",
            "alter table accounts_balance disable row level security",
        ),
        # The application's alone to read: there is no policy.
        migrations.RunSQL(
            "alter table accounts_budget enable row level security",
            "alter table accounts_budget disable row level security",
        ),
    ]
