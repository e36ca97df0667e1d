from django.db import migrations, models


class Migration(migrations.Migration):
    """An owner whose memory is being erased says so in its own row."""

    dependencies = [("accounts", "0011_connection_refresh")]

    operations = [
        migrations.AddField(
            model_name="owner",
            name="erasure",
            field=models.UUIDField(
                blank=True,
                editable=False,
                help_text="What deletes it: nothing is written since.",
                null=True,
            ),
        )
    ]
