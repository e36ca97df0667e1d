from django.db import migrations, models


class Migration(migrations.Migration):
    """What has no vector is found by its words: what waits for one, and what gave none."""

    dependencies = [("knowledge", "0011_context_vectors_in_the_row")]

    operations = [
        migrations.RemoveIndex("contextdocument", "context_waits_for_a_vector"),
        migrations.AddIndex(
            "contextdocument",
            models.Index(
                fields=("owner",),
                condition=models.Q(embedding_state__in=("pending", "failed")),
                name="context_without_a_vector",
            ),
        ),
    ]
