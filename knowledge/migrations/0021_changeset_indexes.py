from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("knowledge", "0020_fact_category_row_security")]

    operations = [
        AddIndexConcurrently(
            model_name="changeset",
            index=models.Index(fields=["origin", "id"], name="changeset_of_origin"),
        ),
        AddIndexConcurrently(
            model_name="changeset",
            index=models.Index(
                condition=models.Q(("session__isnull", False)),
                fields=["session"],
                name="changeset_of_session",
            ),
        ),
        AddIndexConcurrently(
            model_name="changeset",
            index=models.Index(
                condition=models.Q(("reverted_at__isnull", False)),
                fields=["id"],
                name="changeset_reverted",
            ),
        ),
    ]
