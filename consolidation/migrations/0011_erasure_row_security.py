from django.db import migrations


class Migration(migrations.Migration):
    """What was erased, and when, is the application's alone to read: there is no policy."""

    dependencies = [("consolidation", "0010_erasures")]

    operations = [
        migrations.RunSQL(
            "alter table consolidation_erasure enable row level security",
            "alter table consolidation_erasure disable row level security",
        )
    ]
