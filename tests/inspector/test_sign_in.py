from django.urls import reverse


def test_a_wrong_password_is_refused_without_saying_which_part_was_wrong(client, operator):
    form = {"username": "operator", "password": "wrong"}

    page = client.post(reverse("login"), form).content.decode()

    assert "do not match" in page


def test_a_person_is_led_to_where_they_wanted_to_go(client, operator):
    form = {"username": "operator", "password": "correct horse battery", "next": "/?state=open"}

    answer = client.post(reverse("login"), form)

    assert answer.url == "/?state=open"


def test_nobody_is_led_to_another_host(client, operator):
    form = {
        "username": "operator",
        "password": "correct horse battery",
        "next": "https://elsewhere.example/",
    }

    answer = client.post(reverse("login"), form)

    assert answer.url == reverse("sessions")


def test_a_part_asked_for_after_the_login_ended_reloads_the_page(client, db):
    answer = client.get(reverse("sessions"), headers={"HX-Request": "true"}, follow=True)

    assert answer.headers["HX-Refresh"] == "true"


def test_signing_out_ends_the_login(client, operator):
    client.force_login(operator)

    client.post(reverse("logout"))

    assert client.get(reverse("sessions")).status_code == 302
