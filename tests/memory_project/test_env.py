import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_project import env


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda: env.integer("RC_X", 1), "one"),
        (lambda: env.integer("RC_X", 1, least=1), "0"),
        (lambda: env.number("RC_X", 1.0), "one"),
        (lambda: env.flag("RC_X", default=True), "perhaps"),
        (lambda: env.choice("RC_X", "a", ["a", "b"]), "c"),
    ],
    ids=["integer", "least", "number", "flag", "choice"],
)
def test_a_malformed_value_is_refused_by_name(monkeypatch, read, value):
    monkeypatch.setenv("RC_X", value)

    with pytest.raises(ImproperlyConfigured, match="RC_X"):
        read()


def test_a_secret_is_read_from_a_file(monkeypatch, tmp_path):
    (tmp_path / "key").write_text("hidden\n")
    monkeypatch.setenv("RC_X_FILE", str(tmp_path / "key"))

    assert env.text("RC_X") == "hidden"
    monkeypatch.setenv("RC_X_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match="RC_X_FILE"):
        env.text("RC_X")


def test_values_are_read_as_what_they_are(monkeypatch):
    monkeypatch.setenv("RC_X", "a, b,,")
    assert env.listing("RC_X") == ["a", "b"]
    monkeypatch.setenv("RC_X", "2.5")
    assert env.number("RC_X", 1.0) == 2.5
    monkeypatch.setenv("RC_X", "off")
    assert env.flag("RC_X", default=True) is False
