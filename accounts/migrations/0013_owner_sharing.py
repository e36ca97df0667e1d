from django.db import migrations, models


class Migration(migrations.Migration):
    """A person keeps what one agent remembers of them from all others."""

    dependencies = [("accounts", "0012_owner_erasure")]

    operations = [
        migrations.AddField(
            model_name="owner",
            name="is_shared",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Other agents may read it where its agent is shared: the person's choice.",
            ),
        )
    ]
