from django.db import migrations


class Migration(migrations.Migration):
    """An import is the application's alone to read, and none begins for whoever is erased."""

    dependencies = [("consolidation", "0013_imports")]

    operations = [
        migrations.RunSQL(
            "alter table consolidation_import enable row level security",
            "alter table consolidation_import disable row level security",
        ),
        migrations.RunSQL(
            "create trigger owner_is_kept before insert on consolidation_import for each row "
            "execute function accounts_owner_is_kept('refuse')",
            "drop trigger owner_is_kept on consolidation_import",
        ),
    ]
