"""An operator takes an export in from a shell."""

import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Owner
from consolidation.portable.export import exported
from knowledge.models import Fact
from tests.consolidation.deletion.erasure.conftest import fill_person

pytestmark = pytest.mark.django_db


def said(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("import_memory", *arguments, stdout=out, agent="porter", **options)
    return out.getvalue()


def test_it_says_what_would_come_and_takes_it_in_once(porter, tmp_path):
    owner = fill_person(porter).owner
    data = b"".join(exported([owner]))
    path = tmp_path / "memory.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("memory.json", data)

    looked = said(str(path), user="charlie", of="alice", dry_run=True)
    assert "facts  1 added" in looked
    assert "receipts: left out" in looked
    assert "nothing was taken in" in looked
    assert not Owner.objects.filter(key="charlie").exists()

    assert "facts  1 added" in said(str(path), user="charlie", of="alice")
    assert "facts  1 known" in said(str(path), user="charlie", of="alice")
    assert Fact.objects.filter(owner__key="charlie").count() == 1


def test_what_is_wrong_is_said_and_nobody_becomes_known(porter, tmp_path):
    path = tmp_path / "memory.json"
    path.write_bytes(b"".join(exported([fill_person(porter).owner])))

    with pytest.raises(CommandError, match="another name"):
        said(str(path), user="bob")
    document = json.loads(path.read_bytes())
    document["sections"]["spells"] = []
    path.write_text(json.dumps(document))
    with pytest.raises(CommandError, match="a section that there is not"):
        said(str(path), user="alice")
    with pytest.raises(CommandError, match="No such file"):
        said(str(tmp_path / "gone.json"), user="alice")
    assert not Owner.objects.filter(key="bob").exists()
