import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_project import env

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda: env.integer("RC_X", 1), "one"),
        (lambda: env.integer("RC_X", 1, least=1), "0"),
        (lambda: env.number("RC_X", 1.0), "one"),
        (lambda: env.number("RC_X", 1.0), "-1"),
        (lambda: env.number("RC_X", 1.0), "nan"),
        (lambda: env.number("RC_X", 1.0), "inf"),
        (lambda: env.flag("RC_X", default=True), "perhaps"),
        (lambda: env.choice("RC_X", "a", ["a", "b"]), "c"),
        (lambda: env.origins("RC_X"), "https://a.example, b.example"),
    ],
    ids=["integer", "least", "number", "negative", "nan", "inf", "flag", "choice", "origins"],
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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RECOLLECT_RANKING_PROFILE", "best"),
        ("RECOLLECT_LOG_LEVEL", "loud"),
        ("RECOLLECT_ORIGINS", "memory.example"),
    ],
)
def test_a_wrong_setting_ends_a_command_with_one_sentence(name, value):
    command = [sys.executable, str(ROOT / "manage.py"), "check"]

    ended = subprocess.run(
        command, env=os.environ | {name: value}, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert ended.stderr.startswith(name)
    assert ended.stderr.count("\n") == 1
