from django.db import migrations

# Vectors are kept in the row: out of line they are read several times slower. One without a
# direction would vanish from every search.
LAYOUT = """
alter table knowledge_knowledgeembedding
  alter embedding set storage plain,
  add constraint knowledge_vector_has_a_direction check (l2_norm(embedding) > 0);
"""
BACK = """
alter table knowledge_knowledgeembedding
  alter embedding set storage external,
  drop constraint knowledge_vector_has_a_direction;
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_word_index")]

    operations = [migrations.RunSQL(LAYOUT, BACK)]
