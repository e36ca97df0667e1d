"""A person gives back what they took along."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from consolidation.models import Import
from consolidation.portable.export import exported
from consolidation.portable.readable import zipped
from knowledge.models import Fact
from tests.consolidation.deletion.erasure.conftest import fill_person
from tests.factories import run_jobs

pytestmark = pytest.mark.django_db


def given(phone, alice, data: bytes):
    file = SimpleUploadedFile("memory.zip", data)
    return phone.post(f"/memory/{alice.pk}/privacy/import", {"file": file}, follow=True)


@pytest.fixture
def bobs_file(porter) -> bytes:
    return b"".join(exported([fill_person(porter, "bob <b>").owner]))


def test_it_shows_what_would_come_then_takes_it_in_and_back(phone, alice, bobs_file):
    before = Fact.objects.filter(owner=alice).count()
    Fact.objects.filter(owner=alice).update(object="salmon")

    shown = given(phone, alice, bobs_file).content.decode()

    assert "The file is about <b>bob &lt;b&gt;</b>" in shown
    assert '<td>facts</td><td class="number" data-label="new">1</td>' in shown
    assert Fact.objects.filter(owner=alice).count() == before
    made = Import.objects.get(owner=alice, state="ready", file__isnull=False)
    where = f"/memory/{alice.pk}/privacy/import/{made.pk}/"

    done = phone.post(where + "confirm", follow=True).content.decode()
    assert "It is in: " in done
    assert Fact.objects.filter(owner=alice).count() == before + 1
    back = phone.post(where + "revert", follow=True).content.decode()
    assert "What was learned from it was taken back" in back
    assert Fact.objects.filter(owner=alice).count() == before
    again = phone.post(where + "confirm", follow=True).content.decode()
    assert "does not wait" in again


def test_her_own_zip_brings_nothing_twice(phone, alice):
    with zipped([alice]) as file:
        data = file.read()

    shown = given(phone, alice, data).content.decode()

    assert "Nothing new" in shown


def test_a_long_one_shows_how_far_it_is(phone, alice, bobs_file, monkeypatch):
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)
    given(phone, alice, bobs_file)
    made = Import.objects.get(owner=alice, state="ready", file__isnull=False)
    where = f"/memory/{alice.pk}/privacy/import/{made.pk}/"

    begun = phone.post(where + "confirm", follow=True).content.decode()
    assert "Being taken in" in begun
    part = phone.get(where, headers={"HX-Request": "true"}).content.decode()
    assert "<progress" in part
    assert "<h1" not in part
    run_jobs()

    assert "It is in: " in phone.get(where).content.decode()


@pytest.mark.parametrize("data", [b"", b"x", b"{}", b"PK\x03\x04rubbish"])
def test_what_is_no_export_is_refused_in_words(phone, alice, data):
    shown = given(phone, alice, data).content.decode()

    assert "cannot be taken in" in shown or "Choose a file" in shown
    assert not Import.objects.filter(owner=alice, file__isnull=False).exists()


def test_nobody_sees_or_confirms_another_s(phone, alice, porter, bobs_file):
    given(phone, alice, bobs_file)
    made = Import.objects.get(owner=alice, file__isnull=False)
    bob = fill_person(porter, "charlie").owner
    phone.force_login(bob.user)

    for owner in (alice.pk, bob.pk):
        where = f"/memory/{owner}/privacy/import/{made.pk}/"
        assert phone.get(where).status_code == 404
        assert phone.post(where + "confirm").status_code == 404
        assert phone.post(where + "revert").status_code == 404
