import io

import pytest
from django.core.management import CommandError, call_command

from audit.models import AuditEntry
from consolidation.embedding.documents import keep_document
from knowledge.models import KnowledgeDocument
from tests.factories import run_jobs


def knowledge(*arguments: str) -> str:
    out = io.StringIO()
    call_command("knowledge", "--agent", "porter", *arguments, stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def note(tmp_path):
    file = tmp_path / "trains.txt"
    file.write_text("Trains leave at nine.")
    return file


@pytest.mark.requirement("CH-63")
def test_an_operator_puts_lists_shows_and_deletes(porter, note):
    assert knowledge("put", "trains", str(note)) == "trains inserted, version 1"
    assert knowledge("put", "trains", str(note)) == "trains unchanged, version 1"
    note.write_text("Trains leave at ten.")
    assert knowledge("put", "trains", str(note)) == "trains updated, version 2"
    assert knowledge("list").startswith("trains  version 2")
    assert knowledge("show", "trains") == "Trains leave at ten."

    assert knowledge("delete", "trains") == "trains is deleted"

    assert knowledge("list") == ""
    assert list(AuditEntry.objects.order_by("pk").values_list("actor", "action")) == [
        ("command", "knowledge.put"),
        ("command", "knowledge.put"),
        ("command", "knowledge.delete"),
    ]


def test_the_text_may_come_from_standard_input(porter, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("From a pipe."))

    knowledge("put", "pipe", "-")

    assert knowledge("show", "pipe") == "From a pipe."


def test_a_document_without_a_key_is_named_by_its_id(porter):
    found = keep_document(agent=porter, actor="test", content="no key").document
    run_jobs()

    assert str(found.pk) in knowledge("list")
    assert knowledge("show", str(found.pk)) == "no key"
    knowledge("delete", str(found.pk))

    assert not KnowledgeDocument.objects.exists()


def test_it_says_what_is_wrong(porter, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")

    for arguments in (
        ("show", "nothing"),
        ("delete", "nothing"),
        ("put", "k", str(tmp_path / "nothing")),
        ("put", "k", str(tmp_path / "binary")),
    ):
        with pytest.raises(CommandError):
            knowledge(*arguments)
    with pytest.raises(CommandError, match="no agent"):
        call_command("knowledge", "--agent", "nobody", "list")
