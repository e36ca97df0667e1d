from django.urls import reverse


def test_a_wrong_password_is_refused_without_saying_which_part_was_wrong(client, operator):
    form = {"username": "operator", "password": "wrong"}

    page = client.post(reverse("login"), form).content.decode()

    assert "do not match" in page


def test_a_person_is_led_to_where_they_wanted_to_go(client, operator):
    form = {"username": "operator", "password": "correct horse battery", "next": "/?state=open"}

    answer = client.post(reverse("login"), form)

    assert answer.url == "/?state=open"


def test_whoever_is_signed_out_reads_how_to_come_in_again(client, db):
    page = client.get("/memory/", follow=True).content.decode()

    assert "You are not signed in, or no longer." in page
    assert "ask the assistant for a new one" in page
    assert "You are not signed in" not in client.get(reverse("login")).content.decode()


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
