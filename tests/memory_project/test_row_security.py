import pytest
from django.apps import apps

from tests.accounts.acting import ask

# Nobody but the application has a right on these, and a job holds nothing of an owner but a turn.
APART = {"recall_receipt", "consolidation_compactionrun", "consolidation_job"}


def private_tables() -> set[str]:
    """Return the tables whose rows are an owner's, or of an owner's session."""
    return {
        model._meta.db_table
        for model in apps.get_models()
        if {"owner", "session", "window"} & {field.name for field in model._meta.get_fields()}
        and not model._meta.label_lower.startswith(("accounts.", "sessions."))
    }


@pytest.mark.django_db
def test_every_private_table_shows_its_rows_by_policy_alone():
    locked = {name for (name,) in ask("select relname from pg_class where relrowsecurity")}

    assert private_tables() - locked == APART


@pytest.mark.django_db
def test_no_policy_lets_anyone_but_the_auditor_write():
    others = "select polname from pg_policy where polcmd <> 'r' and polname <> 'auditor_alone'"

    assert ask(others) == []
