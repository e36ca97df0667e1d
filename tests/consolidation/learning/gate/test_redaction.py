"""Secrets go before anything is kept; what only looks like one stays. The corpus is the specification."""

import time

import pytest

from memory.redaction import is_secret, redacted

SECRETS = [
    ("my key is sk-proj-Zk3vQ8mN1pLx7TtR4wYb9cD2", "api_key"),
    ("sk_live_51HxQkLMn0pQrStUvWxYz012", "api_key"),
    ("AKIAIOSFODNN7EXAMPLE", "api_key"),
    ("AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q", "api_key"),
    ("push with ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "token"),
    ("glpat-xY12zAbCdEfGhIjKlMnO", "token"),
    ("xoxb-123456789012-abcdefGHIJKL", "token"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "token"),
    ("Authorization: Bearer abcdef0123456789abcdef", "header"),
    ("postgres://alice:s3cr3tpw@db.internal/app", "credentials"),
    ("the password is hunter2!", "password"),
    ("Password: correct-horse-battery", "password"),
    ("mein Passwort ist Sommer2024", "password"),
    ("mi contraseña es Verano_99", "password"),
    ("mon mot de passe est Soleil#1", "password"),
    ("мой пароль: qwerty12345", "password"),
    ("我的密码是abc12345", "password"),
    ('passphrase = "four words long enough"', "password"),
    ("api_key=9f8e7d6c5b4a39281706", "secret"),
    ("the access token is 7f3kq9zz81mm", "secret"),
    ("my PIN is 4821", "pin"),
    ("CVV: 123", "pin"),
    ("my ssn is 123-45-6789", "ssn"),
    ("pay to DE89 3704 0044 0532 0130 00 please", "iban"),
    ("GB82WEST12345698765432", "iban"),
    ("card 4111 1111 1111 1111, thanks", "card"),
    ("5500-0055-5555-5559", "card"),
    ("378282246310005", "card"),
    ("meine Karte ist die 4929 1180 3377 5526, gültig bis 09/28", "card"),
    ("my card number is 1234 5678 9012 3456", "card"),
    ("the bank wants my number is 740926 and the word is 'capstan'", "account"),
    ("the shop rejects my login, it's anna and Brindle!4471-fox, why?", "password"),
    ("the memorable word is capstan", "password"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "private_key"),
]
HARMLESS = [
    "My password manager is called Ana's vault",
    "I forgot my password again",
    "The password is on the table",
    "I lost the key to my shed",
    "Her token of love was a ring",
    "I like sketching and skiing",
    "My phone number is +49 170 1234567",
    "We met on 2024-05-08 at 09:30",
    "The order number is 1234567890123456",
    "ISBN 978-3-16-148410-0 is my favourite book",
    "I live at 12 Baker Street, W1U 6TJ",
    "My flight is LH 1234 to FRA",
    "DE is short for Germany",
    "I pinned 20 photos to the wall",
    "Write to alice at example dot org",
    "The bearer of good news came early",
    "I need 100000000000000 won",
    "1111 1111 1111 1111",
    "The basic idea is simple and elegant",
    "Look at https://example.org/a:b@c",
]


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_a_secret_is_replaced_by_its_kind(text, kind):
    found = redacted(text)

    assert f"[redacted:{kind}]" in found
    assert is_secret(text)
    assert is_secret(found)
    assert redacted(found) == found


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_text_stays_as_it_is(text):
    assert redacted(text) == text
    assert not is_secret(text)


def test_what_stands_around_a_secret_stays():
    found = redacted("I use AKIAIOSFODNN7EXAMPLE for the shop, and tea for breakfast.")

    assert found == "I use [redacted:api_key] for the shop, and tea for breakfast."


@pytest.mark.parametrize(
    "piece", ["password ", "sk-", "eyJ.", "a://", "1 ", "DE12 ", "token: ", "-----BEGIN ", "密码"]
)
def test_hostile_length_costs_no_time(piece):
    text = piece * (60_000 // len(piece))
    start = time.process_time()

    redacted(text)

    assert time.process_time() - start < 3
