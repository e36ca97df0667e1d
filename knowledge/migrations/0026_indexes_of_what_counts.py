from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

COUNTS = models.Q(
    user_visible=True, dormant_at__isnull=True, superseded_by="", is_quarantined=False
)


class Migration(migrations.Migration):
    """The index alone can count what counts, and knows the order of the most salient."""

    atomic = False
    dependencies = [("knowledge", "0025_indexes_of_words")]

    operations = [
        AddIndexConcurrently(
            model_name="fact",
            index=models.Index(
                fields=["owner", "-created_at"], condition=COUNTS, name="fact_counts"
            ),
        ),
        RemoveIndexConcurrently(model_name="fact", name="fact_active"),
        AddIndexConcurrently(
            model_name="arc",
            index=models.Index(fields=["owner"], condition=COUNTS, name="arc_counts"),
        ),
        AddIndexConcurrently(
            model_name="rule",
            index=models.Index(
                fields=["owner", "created_at"], condition=COUNTS, name="rule_counts"
            ),
        ),
        RemoveIndexConcurrently(model_name="rule", name="rule_active"),
        AddIndexConcurrently(
            model_name="savedfact",
            index=models.Index(
                fields=["owner", "-decay_score", "-created_at", "-id"],
                name="saved_fact_by_salience",
            ),
        ),
        RemoveIndexConcurrently(model_name="savedfact", name="saved_fact_salience"),
    ]
