from django.db import migrations

AUDITOR = """
create policy auditor_alone on feedback_feedbackrecord
using (current_user = 'recollect_audit_' || left(md5(current_database()), 6))
"""


class Migration(migrations.Migration):
    """A grant given by mistake shows nothing: the policy lets in the auditor and nobody else."""

    dependencies = [("feedback", "0001_feedback_records")]

    operations = [
        migrations.RunSQL(
            "alter table feedback_feedbackrecord enable row level security",
            "alter table feedback_feedbackrecord disable row level security",
        ),
        migrations.RunSQL(AUDITOR, "drop policy auditor_alone on feedback_feedbackrecord"),
    ]
