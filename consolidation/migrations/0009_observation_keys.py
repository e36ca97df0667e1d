from django.db import migrations, models


class Migration(migrations.Migration):
    """The tables are as new as their first release: nothing is in them, and nobody waits."""

    dependencies = [("consolidation", "0008_daily_measure_row_security")]

    operations = [
        migrations.AddField(
            model_name="contextevent",
            name="key",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Of one key there is one observation.",
                max_length=120,
            ),
        ),
        migrations.AddConstraint(
            model_name="contextevent",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key", ""), _negated=True),
                fields=("owner", "key"),
                name="context_event_once",
            ),
        ),
    ]
