from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models


def parts(name: str, *texts: str | models.Func) -> GinIndex:
    """What a row is found by."""
    found = models.Func(
        "owner", *texts, function="accounts_parts", output_field=SearchVectorField()
    )
    return GinIndex(found, name=name)


def joined(field: str) -> models.Func:
    return models.Func(field, function="accounts_joined")


# The parts of thirty thousand sampled rows would take seconds at each ANALYZE, and with what they
# say of words that many rows have, the planner would leave the index.
INDEXES = (
    "fact_parts",
    "arc_parts",
    "rule_parts",
    "entry_parts",
    "saved_fact_parts",
    "context_parts",
)
UNSAMPLED = "alter index {} alter column 1 set statistics 0"


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("knowledge", "0024_forgettings"), ("accounts", "0014_parts_of_words")]

    operations = [
        AddIndexConcurrently(
            model_name="fact",
            index=parts(
                "fact_parts", "object", "subject", "predicate", "evidence_quote", "category"
            ),
        ),
        AddIndexConcurrently(
            model_name="arc",
            index=parts(
                "arc_parts",
                "summary",
                joined("themes"),
                joined("open_loops"),
                joined("resolved_threads"),
            ),
        ),
        AddIndexConcurrently(
            model_name="rule", index=parts("rule_parts", "text", joined("evidence"))
        ),
        AddIndexConcurrently(model_name="entry", index=parts("entry_parts", "name", "content")),
        AddIndexConcurrently(
            model_name="savedfact", index=parts("saved_fact_parts", "key", "value")
        ),
        AddIndexConcurrently(model_name="contextdocument", index=parts("context_parts", "content")),
        *(migrations.RunSQL(UNSAMPLED.format(name), migrations.RunSQL.noop) for name in INDEXES),
    ]
