"""An operator erases and exports from a shell."""

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from consolidation.deletion.erasure.certificate import is_genuine
from consolidation.deletion.erasure.request import erase_owner
from consolidation.models import Erasure, Job
from tests.consolidation.deletion.erasure.conftest import CANARY, fill_person
from tests.factories import WHEN, make_agent, run_jobs

pytestmark = pytest.mark.django_db


def said(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def test_a_dry_run_only_counts(porter):
    fill_person(porter)

    assert "knowledge.Fact" in said("erase", "alice", "--agent", "porter", "--dry-run")
    assert not Erasure.objects.exists()


@pytest.mark.parametrize("everywhere", [True, False])
def test_it_erases_and_writes_the_certificate(porter, tmp_path, everywhere):
    fill_person(porter)
    path = tmp_path / "certificate.json"

    said("erase", "alice", agent="porter", yes=True, everywhere=everywhere, certificate=path)

    assert is_genuine(json.loads(path.read_text()))
    assert Erasure.objects.get().state == "done"


def test_it_asks_for_the_name(porter, monkeypatch):
    fill_person(porter)
    monkeypatch.setattr("builtins.input", lambda prompt: "bob")

    with pytest.raises(CommandError, match="nothing was deleted"):
        said("erase", "alice", agent="porter")


def test_whom_nobody_knows_is_not_erased(porter, rival):
    with pytest.raises(CommandError, match="knows bob"):
        said("erase", "bob", agent="porter")
    make_agent("porter", organization=rival.organization)
    with pytest.raises(CommandError, match="several"):
        said("erase", "bob", agent="porter")
    with pytest.raises(CommandError, match="knows bob"):
        said("erase", "bob", agent="porter", organization="elsewhere")


def test_what_cannot_be_cleared_is_said(porter, monkeypatch):
    fill_person(porter)
    monkeypatch.setattr("consolidation.deletion.erasure.job.residue", lambda owners: {"x": 1})

    with pytest.raises(CommandError, match=r"erasure_not_clean.*Run the same command again"):
        said("erase", "alice", agent="porter", yes=True)


def test_a_failed_erasure_is_resumed_by_running_it_again(porter, monkeypatch, tmp_path):
    owner = fill_person(porter).owner
    with monkeypatch.context() as patch:
        patch.setattr("consolidation.deletion.erasure.job.residue", lambda owners: {"x": 1})
        with pytest.raises(CommandError):
            said("erase", "alice", agent="porter", yes=True)
        with pytest.raises(CommandError, match="after 5 rounds"):
            said("erase", "alice", agent="porter", yes=True)
    assert Erasure.objects.get().state == "failed"

    text = said("erase", "alice", agent="porter", yes=True, certificate=tmp_path / "c.json")

    assert Erasure.objects.get().state == "done"
    assert is_genuine(json.loads(text))
    owner.refresh_from_db()
    assert owner.key.startswith("erased:")


def test_the_job_of_a_failed_erasure_resumes_it_as_well(porter, monkeypatch):
    made = erase_owner(owner=fill_person(porter).owner, actor="test")
    with monkeypatch.context() as patch:
        patch.setattr("consolidation.deletion.erasure.job.residue", lambda owners: {"x": 1})
        run_jobs()
    made.refresh_from_db()
    assert made.state == "failed"

    Job.objects.filter(kind="erase").update(not_before=WHEN, dispatched_at=None)
    run_jobs()

    made.refresh_from_db()
    assert (made.state, made.error_code) == ("done", "")


def test_an_export_is_a_file_or_a_zip(porter, tmp_path):
    fill_person(porter)
    said("export_user", "alice", str(tmp_path / "a.json"), agent="porter")
    said("export_user", "alice", str(tmp_path / "a.zip"), agent="porter", everywhere=True)

    assert CANARY in (tmp_path / "a.json").read_text()
    assert "memory.html" in zipfile.ZipFile(tmp_path / "a.zip").namelist()
    with pytest.raises(CommandError):
        said("export_user", "bob", str(tmp_path / "b.json"), agent="porter")
