from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_step_details")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="crisis_level_max",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="The highest level that was reported; its arc keeps it, no prompt.",
            ),
        )
    ]
