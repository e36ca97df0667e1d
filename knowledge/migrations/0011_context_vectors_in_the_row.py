from django.db import migrations

# As with documents of knowledge: a vector out of line is read several times slower.
LAYOUT = """
alter table toolstream_context
  alter embedding set storage plain,
  add constraint context_vector_has_a_direction check (l2_norm(embedding) > 0);
"""
BACK = """
alter table toolstream_context
  alter embedding set storage external,
  drop constraint context_vector_has_a_direction;
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0010_pattern_words")]

    operations = [migrations.RunSQL(LAYOUT, BACK)]
