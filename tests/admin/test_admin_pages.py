import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import CompositePrimaryKey
from django.test.utils import CaptureQueriesContext

from accounts.models import (
    Agent,
    Organization,
    Owner,
    User,
)
from memory.models import (
    Embedding,
    Event,
    OwnerIndex,
    Posting,
    Term,
)
from tests.admin.addresses import address
from tests.admin.rows import fill
from tests.factories import make_ended_session

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


def test_every_list_and_page_opens_and_no_list_shows_what_was_said(desk):
    fill(0, 1)
    for model in MODELS:
        listed = desk.get(address(model, "changelist"))
        change = desk.get(address(model, "change", model._default_manager.first().pk))
        add = desk.get(address(model, "add"))

        name = model._meta.label
        assert "result_list" in listed.content.decode(), name
        assert "secret trout" not in listed.content.decode(), name
        assert change.status_code == 200, name
        may_add = admin.site._registry[model].has_add_permission(listed.wsgi_request)
        assert add.status_code == (200 if may_add else 403), name


def questions(client) -> dict[str, int]:
    """Return how many queries each list takes."""
    counts = {}
    for model in MODELS:
        with CaptureQueriesContext(connection) as asked:
            client.get(address(model, "changelist"))
        counts[model._meta.label] = len(asked)
    return counts


def test_lists_of_twice_the_rows_ask_no_more_questions(desk):
    fill(0, 3)
    questions(desk)  # what the process keeps is kept from here on
    few = questions(desk)
    fill(3, 6)

    many = questions(desk)

    assert many == few


@pytest.mark.parametrize("page", ["change", "delete"])
def test_an_event_cannot_be_changed(desk, page):
    fill(0, 1)

    answer = desk.post(address(Event, page, Event.objects.get().pk), {"type": "x", "post": "yes"})

    assert answer.status_code == 403
    assert Event.objects.get().type == "UserMsg"


def test_the_index_rows_of_an_owner_are_counted(desk):
    fill(0, 1)

    page = desk.get(address(OwnerIndex, "change", Owner.objects.get().pk)).content.decode()

    shown = dict(re.findall(r"<label>([^<]+):</label>\s*<div class=\"readonly\">(\d+)</div>", page))
    assert int(shown["Rows of postings"]) == Posting.objects.count() > 0
    assert int(shown["Rows of terms"]) == Term.objects.count() > 0
    assert int(shown["Vectors"]) == Embedding.objects.count() == 1


def test_every_model_with_a_simple_key_is_shown():
    ours = ("accounts", "audit", "consolidation", "knowledge", "memory", "recall")
    models = {model for name in ours for model in apps.get_app_config(name).get_models()}

    simple = {model for model in models if not isinstance(model._meta.pk, CompositePrimaryKey)}

    assert simple <= set(MODELS)


def test_the_queue_of_the_runner_is_not_shown():
    assert not [model for model in MODELS if model._meta.app_label == "django_q"]


@pytest.mark.parametrize("model", [Agent, User, Organization], ids=lambda m: m.__name__)
def test_the_way_to_delete_says_what_goes_with_it(desk, porter, model):
    session = make_ended_session(porter, ["one thing"])
    row = {Agent: porter, User: session.owner.user, Organization: porter.organization}[model]

    page = desk.get(address(model, "delete", row.pk))

    assert page.status_code == 200
