from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


def shown(name: str) -> models.Index:
    """In the order of a person's page."""
    return models.Index(fields=["owner", "-is_pinned", "-id"], name=name)


def heirs(name: str) -> models.Index:
    """What an item took the place of."""
    return models.Index(
        fields=["owner", "superseded_by"], condition=~models.Q(superseded_by=""), name=name
    )


class Migration(migrations.Migration):
    """Built beside running writes."""

    atomic = False
    dependencies = [("knowledge", "0022_changes_from_an_import")]

    operations = [
        AddIndexConcurrently(model_name="fact", index=shown("fact_shown")),
        AddIndexConcurrently(model_name="fact", index=heirs("fact_heirs")),
        AddIndexConcurrently(model_name="arc", index=shown("arc_shown")),
        AddIndexConcurrently(model_name="arc", index=heirs("arc_heirs")),
        AddIndexConcurrently(model_name="rule", index=shown("rule_shown")),
        AddIndexConcurrently(model_name="rule", index=heirs("rule_heirs")),
        AddIndexConcurrently(
            model_name="entry",
            index=models.Index(fields=["owner", "kind", "-number"], name="entry_shown"),
        ),
    ]
