from django.db import migrations


class Migration(migrations.Migration):
    """What is measured of a person is the application's alone to read: there is no policy."""

    dependencies = [("consolidation", "0007_daily_measures")]

    operations = [
        migrations.RunSQL(
            "alter table consolidation_dailymeasure enable row level security",
            "alter table consolidation_dailymeasure disable row level security",
        )
    ]
