from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models

# The parts of thirty thousand sampled rows would take seconds at each ANALYZE, and with what they
# say of words that many rows have, the planner would leave the index.
UNSAMPLED = "alter index {} alter column 1 set statistics 0"


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("memory", "0013_muted_lines"), ("accounts", "0014_parts_of_words")]

    operations = [
        AddIndexConcurrently(
            model_name="session",
            index=GinIndex(
                models.Func(
                    "owner",
                    "external_id",
                    function="accounts_parts",
                    output_field=SearchVectorField(),
                ),
                name="session_parts",
            ),
        ),
        migrations.RunSQL(UNSAMPLED.format("session_parts"), migrations.RunSQL.noop),
    ]
