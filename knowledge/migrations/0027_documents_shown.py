from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """In the order of a person's page, built beside running writes."""

    atomic = False
    dependencies = [("knowledge", "0026_indexes_of_what_counts")]

    operations = [
        AddIndexConcurrently(
            model_name="contextdocument",
            index=models.Index(
                fields=["owner", "-created_at", "-id"],
                condition=models.Q(source__in=("system_learned", "user_provided")),
                name="context_shown",
            ),
        ),
    ]
