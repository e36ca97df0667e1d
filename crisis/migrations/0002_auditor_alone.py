from django.db import migrations

TABLES = ("crisis_crisisrecord", "crisis_crisisday")
AUDITOR = """
create policy auditor_alone on {table}
using (current_user = 'recollect_audit_' || left(md5(current_database()), 6))
"""


class Migration(migrations.Migration):
    """A grant given by mistake shows nothing: the policy lets in the auditor and nobody else."""

    dependencies = [("crisis", "0001_crisis_records")]

    operations = [
        *(
            migrations.RunSQL(
                f"alter table {table} enable row level security",
                f"alter table {table} disable row level security",
            )
            for table in TABLES
        ),
        *(
            migrations.RunSQL(AUDITOR.format(table=table), f"drop policy auditor_alone on {table}")
            for table in TABLES
        ),
    ]
