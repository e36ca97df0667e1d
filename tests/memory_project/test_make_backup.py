"""One file with all that an installation remembers, and what the pages say of it."""

import stat
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from audit.backups import last_backup
from audit.models import AuditEntry
from memory_project.backups.archive import opened
from memory_project.backups.stock import stock_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspaces(settings, tmp_path):
    root = tmp_path / "workspaces"
    settings.WORKSPACE = str(root)
    folder = root / "01a1fc16-b108-7283-92fb-dd5eeee93618" / "self"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("Trout on Fridays.")
    (folder / ".lock").touch()
    (folder / "link.md").symlink_to("/etc/hostname")
    return root


def make(path):
    call_command("backup", str(path))
    return path


def test_it_holds_the_database_and_the_files_and_is_for_its_owner_alone(workspaces, tmp_path):
    path = make(tmp_path / "all.tar")

    with opened(path, progress=lambda _: None) as found:
        assert found.files == ["workspaces/01a1fc16-b108-7283-92fb-dd5eeee93618/self/MEMORY.md"]
        assert found.read(found.files[0]).read() == b"Trout on Fridays."
        assert found.read("database.dump").read(5) == b"PGDMP"
        assert stock_of(found.manifest).tables["accounts_owner"] == 0
        assert "audit.0003_backup_index" in stock_of(found.manifest).migrations
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {one.name for one in tmp_path.iterdir()} == {"workspaces", path.name}


def test_the_console_and_the_metrics_tell_of_the_last(client, operator, workspaces, tmp_path):
    client.force_login(operator)
    before = client.get("/metrics").content.decode()
    make(tmp_path / "all.tar")
    AuditEntry.objects.filter(action="backup.made").update(at=timezone.now() - timedelta(hours=3))

    page, after = (client.get(one).content.decode() for one in (reverse("console"), "/metrics"))

    assert "3\N{NO-BREAK SPACE}hours ago" in page
    assert "\N{NO-BREAK SPACE}KB, made in" in page
    assert "recollect_last_backup_age_seconds 108" in after
    assert "\nrecollect_last_backup_age_seconds" not in before
    AuditEntry.objects.filter(action="backup.made").update(at=timezone.now() - timedelta(days=3))
    assert 'panel bad"><span>Last backup' in client.get(reverse("console")).content.decode()


def test_without_fitting_programs_it_says_what_to_install(settings, monkeypatch, tmp_path):
    settings.DATABASE_URL = "postgresql://elsewhere/name"
    monkeypatch.setenv("PATH", str(tmp_path))
    old = tmp_path / "pg_dump"
    path = tmp_path / "all.tar"

    with pytest.raises(
        CommandError, match=r"backup_programs_missing: there is no pg_dump.*Install"
    ):
        make(path)
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.1'\n")
    old.chmod(0o755)
    with pytest.raises(CommandError, match="pg_dump is of PostgreSQL 9, the server of"):
        make(path)

    assert [one.name for one in tmp_path.iterdir()] == ["pg_dump"]
    assert last_backup() is None


def test_what_cannot_be_written_is_one_clear_sentence(workspaces, tmp_path):
    path = tmp_path / "no folder" / "all.tar"

    with pytest.raises(CommandError, match=r"backup_failed.*No such file"):
        make(path)

    assert last_backup() is None
