"""Every route of the history, and who may open it."""

from django.test import Client
from django.urls import reverse

from accounts.models import User
from inspector.history.urls import urlpatterns
from knowledge.models import ChangeItem, Changeset

# How it is asked, of what, and what it answers to: staff who may only look, the keeper.
TABLE = {
    "console-history": ("get", "nothing", 200, 200),
    "console-change": ("get", "run", 200, 200),
    "console-change-approve": ("post", "item", 403, 302),
    "console-change-reject": ("post", "item", 403, 302),
    "console-change-revert": ("post", "run", 403, 302),
    "console-rewind": ("get", "owner", 200, 200),
}


def ask(client: Client, name: str, past, method: str = "") -> int:
    ids = {
        "nothing": (),
        "run": (past.first.pk,),
        "item": (past.waiting.pk, 0),
        "owner": (past.owner.pk,),
    }[TABLE[name][1]]
    answer = getattr(client, method or TABLE[name][0])(reverse(name, args=ids))
    return int(answer.status_code)


def test_the_table_names_every_route():
    assert set(TABLE) == {one.name for one in urlpatterns}


def test_a_stranger_is_asked_to_sign_in_and_a_person_finds_nothing(client, past):
    assert {ask(client, name, past) for name in TABLE} == {302}
    client.force_login(past.owner.user or User.objects.create_user("alice"))
    assert {ask(client, name, past) for name in TABLE} == {404}


def test_staff_of_the_organization_look_and_the_keeper_acts(past, operator, staff):
    for name, (_, _, looks, _) in TABLE.items():
        assert ask(staff, name, past) == looks, name
    assert ask(staff, "console-change-revert", past, "get") == 403
    staff.force_login(operator)
    for name, (_, _, _, keeps) in TABLE.items():
        assert ask(staff, name, past) == keeps, name


def test_staff_of_another_organization_find_nothing(past, operator, clerk):
    person = User.objects.get(username="charlie")
    person.is_superuser = True
    person.save()

    for name in TABLE:
        assert ask(clerk, name, past) == (200 if name == "console-history" else 404), name

    assert not clerk.get(reverse("console-history")).context["runs"]
    assert not Changeset.objects.filter(origin="revert").exists()
    assert ChangeItem.objects.get(changeset=past.waiting).state == "waiting"


def test_no_act_is_done_without_the_token_nor_by_following_a_link(past, operator):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(operator)
    for name, (method, _, _, _) in TABLE.items():
        if method == "post":
            assert ask(strict, name, past) == 403, name
            assert ask(strict, name, past, "get") in {200, 405}, name

    assert not Changeset.objects.filter(origin="revert").exists()
    assert ChangeItem.objects.get(changeset=past.waiting).state == "waiting"
