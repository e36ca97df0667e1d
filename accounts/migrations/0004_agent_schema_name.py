from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_request_buckets")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="schema_name",
            field=models.CharField(editable=False, max_length=56, null=True, unique=True),
        ),
    ]
