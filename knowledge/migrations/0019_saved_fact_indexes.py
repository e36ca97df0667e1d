from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("knowledge", "0018_saved_fact_words")]

    operations = [
        AddIndexConcurrently(
            model_name="savedfact", index=GinIndex(fields=["tsv"], name="saved_fact_tsv")
        ),
        AddIndexConcurrently(
            model_name="savedfact",
            index=models.Index(fields=["owner", "-decay_score"], name="saved_fact_salience"),
        ),
    ]
