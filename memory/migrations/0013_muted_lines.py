from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


def muted_by(model_name: str) -> migrations.AddField:
    """Without a default: no row is written anew."""
    field = ArrayField(base_field=models.UUIDField(), blank=True, null=True, size=None)
    return migrations.AddField(model_name=model_name, name="muted_by", field=field)


class Migration(migrations.Migration):
    """What a person had forgotten stays in the log, and no prompt says it."""

    dependencies = [("memory", "0012_crisis_level")]

    operations = [muted_by("event"), muted_by("chunk")]
