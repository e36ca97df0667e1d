from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="compact_share",
            field=models.FloatField(
                default=0.8,
                help_text="Fold when compactable tokens exceed this share of what is left.",
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="core_behaviour",
            field=models.TextField(
                blank=True, help_text="Behaviour instructions of the core lane."
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="core_soul",
            field=models.TextField(
                blank=True, help_text="SOUL-CORE.md: the personality in the core lane."
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="fleet",
            field=models.TextField(
                blank=True,
                help_text="AGENTS.md: the other agents, in the prompts of a single-lane agent.",
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="has_core_lane",
            field=models.BooleanField(
                default=False,
                help_text="With an edge and a core lane; otherwise the edge lane alone.",
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="mid_term_sessions",
            field=models.PositiveIntegerField(
                default=10,
                help_text="How many ended sessions of an owner keep vectors of every chunk.",
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="tools",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Schemas of the agent's own tools, in OpenAI's form.",
            ),
        ),
    ]
