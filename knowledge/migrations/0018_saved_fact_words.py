import django.contrib.postgres.search
from django.db import migrations, models

TSV = """
create function knowledge_saved_fact_tsv(key text, value text, category text) returns tsvector
language sql immutable parallel safe
return to_tsvector('english'::regconfig, key || ' ' || value || ' ' || category)
"""


class Migration(migrations.Migration):
    """The words that a fact is found by."""

    dependencies = [("knowledge", "0017_saved_fact_salience")]

    operations = [
        migrations.RunSQL(TSV, "drop function knowledge_saved_fact_tsv(text, text, text)"),
        migrations.AddField(
            model_name="savedfact",
            name="tsv",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(
                    "key", "value", "category", function="knowledge_saved_fact_tsv"
                ),
                output_field=django.contrib.postgres.search.SearchVectorField(),
            ),
        ),
    ]
