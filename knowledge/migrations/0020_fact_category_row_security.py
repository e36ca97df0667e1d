from django.db import migrations


class Migration(migrations.Migration):
    """What an owner's facts are about is the application's alone to read: there is no policy."""

    dependencies = [("knowledge", "0019_saved_fact_indexes")]

    operations = [
        migrations.RunSQL(
            "alter table knowledge_factcategory enable row level security",
            "alter table knowledge_factcategory disable row level security",
        )
    ]
