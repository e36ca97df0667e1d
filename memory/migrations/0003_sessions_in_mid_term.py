from django.db import migrations


class Migration(migrations.Migration):
    """Sessions whose chunks were written before there were tiers are in the middle one."""

    dependencies = [("memory", "0002_lanes_and_tiers")]

    operations = [
        migrations.RunSQL(
            "update memory_session set tier = 'mid_term' where number is not null",
            migrations.RunSQL.noop,
        )
    ]
