import django.utils.timezone
from django.db import migrations, models

# Until now the settings said which space was searched: most likely the one with the most vectors.
STATES = """
update memory_embeddingspace set state = 'retired';
update memory_embeddingspace set state = 'current' where id = (
  select space_id from memory_embedding group by space_id order by count(*) desc, space_id desc limit 1
);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_row_security")]

    operations = [
        migrations.AddField(
            model_name="embeddingspace",
            name="state",
            field=models.CharField(
                choices=[
                    ("building", "Building"),
                    ("current", "Current"),
                    ("retired", "Retired"),
                    ("dropping", "Dropping"),
                ],
                default="building",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="embeddingspace",
            name="state_since",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.RunSQL(STATES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name="embeddingspace",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("building", "current"))),
                fields=("state",),
                name="embedding_space_one_of_a_state",
            ),
        ),
    ]
