"""A crash between a new fact and the retirement of the old one."""

import pytest

from audit import failpoint
from knowledge.models import ChangeItem, Changeset, Fact
from tests.factories import make_agent
from tests.knowledge.learned import added, changed, fact_fields, owner_of, replaced

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.requirement("OC-26")
def test_a_crash_between_add_and_retire_leaves_all_or_nothing(monkeypatch, tmp_path):
    owner = owner_of(make_agent("porter"))
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    monkeypatch.setattr(failpoint, "FOLDER", str(tmp_path))
    (tmp_path / "changes.after_item").write_text("raise")

    with pytest.raises(failpoint.FailpointReached):
        changed(owner, new, replaced(old.target, new.target), key="turn-1")

    assert Fact.objects.get().is_active
    assert (Changeset.objects.count(), ChangeItem.objects.count()) == (1, 1)

    changed(owner, new, replaced(old.target, new.target), key="turn-1")
    assert Fact.objects.active().get().object == "Paris"
    assert Fact.objects.count() == 2
