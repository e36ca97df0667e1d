from django.db import migrations


class Migration(migrations.Migration):
    """What was learned of a user's tools is the application's alone to read: there is no policy."""

    dependencies = [("accounts", "0008_connections_and_synthesis")]

    operations = [
        migrations.RunSQL(
            "alter table accounts_connection enable row level security",
            "alter table accounts_connection disable row level security",
        )
    ]
