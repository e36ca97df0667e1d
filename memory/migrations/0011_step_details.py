from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_embedding_space_state")]

    operations = [
        migrations.AddField(
            model_name="sessionstep",
            name="details",
            field=models.JSONField(blank=True, default=dict, help_text="What the step counted."),
        )
    ]
