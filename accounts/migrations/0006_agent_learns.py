from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_agent_sharing")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="learns",
            field=models.BooleanField(
                default=True,
                db_default=True,
                help_text="Facts and rules are learned from what its users say.",
            ),
        ),
    ]
