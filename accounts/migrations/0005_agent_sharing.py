from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_agent_schema_name")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="is_shared",
            field=models.BooleanField(
                default=True,
                help_text="Other agents of the organization may read what it remembers.",
            ),
        ),
    ]
