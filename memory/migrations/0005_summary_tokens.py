from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_session_indexes")]

    operations = [
        migrations.AddField(
            model_name="lanewindow",
            name="summary_tokens",
            field=models.PositiveIntegerField(
                default=0, help_text="Estimated, of what stands for the folded events."
            ),
        ),
    ]
