from collections import Counter

from django.db import migrations

from knowledge.notes.entries.tokens import entry_tokens

COUNT = """
insert into knowledge_entryindex (owner_id, number, entries, terms)
select owner_id, max(number), count(*), sum(length) from knowledge_entry group by owner_id
"""


def fill(apps, schema_editor) -> None:
    """Index the archives that are there already."""
    Entry = apps.get_model("knowledge", "Entry")
    EntryTerm = apps.get_model("knowledge", "EntryTerm")
    for entry in Entry.objects.order_by("pk").iterator(chunk_size=200):
        counts = Counter(entry_tokens(entry.name, entry.content))
        EntryTerm.objects.bulk_create(
            EntryTerm(owner_id=entry.owner_id, number=entry.number, term=term, count=count)
            for term, count in counts.items()
        )
        Entry.objects.filter(pk=entry.pk).update(length=counts.total())
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(COUNT)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0013_entry_terms")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
