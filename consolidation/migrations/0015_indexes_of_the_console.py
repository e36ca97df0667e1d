from django.contrib.postgres.indexes import BrinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """What the console counts. Built beside running writes."""

    atomic = False
    dependencies = [("consolidation", "0014_import_row_security")]

    operations = [
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(fields=["id"], condition=models.Q(state="dead"), name="job_dead"),
        ),
        AddIndexConcurrently(
            model_name="candidate",
            index=BrinIndex(fields=["created_at"], autosummarize=True, name="candidate_days"),
        ),
        AddIndexConcurrently(
            model_name="contextevent",
            index=models.Index(
                fields=["id"],
                condition=~models.Q(set_aside_at=None),
                name="context_aside",
            ),
        ),
    ]
