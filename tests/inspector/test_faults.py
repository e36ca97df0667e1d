"""What goes wrong is said on a page in words, and over the API as a problem."""

import re
from collections.abc import Iterator

import pytest
from django.urls import reverse

from accounts.errors import Fault
from inspector.faults import AGAIN, WORDS, in_words
from inspector.http import AnswerWithPages
from knowledge.errors import ItemUnfit
from tests.inspector.person.people import make_person

# What a developer would say.
JARGON = re.compile(r"`|_|/|\bAPI\b|GET|POST|\bdetail\b|version|changeset|field|NUL|invalid")
BROKEN = {"data": b"--x\r\nrubbish", "content_type": "multipart/form-data; boundary="}
MANY = {
    "data": "&".join(["a=1"] * 1_100),
    "content_type": "application/x-www-form-urlencoded",
}


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def kinds_of(base: type[Fault]) -> Iterator[type[Fault]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_every_fault_has_words_without_a_developer_s_word():
    codes = {kind.code for kind in kinds_of(Fault)}

    assert len(codes) > 30
    assert WORDS.keys() <= codes
    for kind in kinds_of(Fault):
        assert not JARGON.search(in_words(kind("x"))), kind


def test_a_person_reads_what_to_do_and_the_code_in_small_print(client, alice):
    fields = {"part": "narrative", "value": "word " * 600, "version": 0}
    page = client.post(reverse("memory-profile-change", args=[alice.pk]), fields, follow=True)

    shown = page.content.decode()
    assert "Shorten it, and save again." in shown
    assert '<small class="code">item_unfit: text is at most 500 words</small>' in shown
    assert "`detail`" not in shown


def test_a_note_that_is_gone_is_said_to_be(client, alice):
    page = client.post(reverse("memory-note-forget", args=[alice.pk]), {"name": "x"}, follow=True)

    assert AGAIN in page.content.decode()


def test_what_no_page_has_foreseen_is_answered_with_a_page(rf):
    answer = AnswerWithPages(lambda _: None).process_exception(rf.post("/"), ItemUnfit("<b>x"))

    assert answer.status_code == 422
    assert "item_unfit: &lt;b&gt;x" in answer.content.decode()


@pytest.mark.parametrize("sent", [BROKEN, MANY], ids=["broken", "too many fields"])
def test_a_form_that_cannot_be_read_is_answered_with_a_page(client, alice, sent):
    page = client.post(reverse("memory-recall", args=[alice.pk]), **sent)

    assert (page.status_code, page.headers["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert "<h1>This could not be read</h1>" in page.content.decode()
    assert "parse_error" in page.content.decode()


def test_a_name_that_is_not_ours_is_answered_with_a_page(client, db):
    page = client.get("/login/", headers={"host": "memory.example"})

    assert page.status_code == 400
    assert "does not answer to the name" in page.content.decode()
