"""What `make up` prints and remembers."""

import json
import stat
from pathlib import Path

import pytest

from memory_project.facts import FILE, InstallationFacts, remembered, welcome, write

FACTS = InstallationFacts("http://127.0.0.1:8710", "operator", "a password", "assistant", "rk_a_b")


def test_a_fact_is_remembered(tmp_path: Path):
    write(tmp_path, FACTS)

    assert remembered(tmp_path, "agent_key") == "rk_a_b"


def test_the_file_is_for_its_owner_alone(tmp_path: Path):
    write(tmp_path, FACTS)

    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert set(json.loads((tmp_path / FILE).read_text())) == {
        "url",
        "operator_login",
        "operator_password",
        "agent",
        "agent_key",
    }


@pytest.mark.parametrize("content", ["", "{", "[]", '{"agent_key": 1}', '{"agent": "assistant"}'])
def test_a_spoilt_file_remembers_nothing(tmp_path: Path, content: str):
    (tmp_path / FILE).write_text(content)

    assert remembered(tmp_path, "agent_key") is None


def test_no_file_remembers_nothing(tmp_path: Path):
    assert remembered(tmp_path, "agent_key") is None


def test_the_welcome_says_how_to_call(tmp_path: Path):
    said = welcome(tmp_path, FACTS)

    calls = [line for line in said.splitlines() if "curl" in line]
    assert len(calls) == 3
    assert all("Bearer rk_a_b" in line and FACTS.url in line for line in calls)


def test_a_password_that_nobody_told_us_is_not_printed_as_none(tmp_path: Path):
    said = welcome(tmp_path, InstallationFacts(FACTS.url, "operator", None, "assistant", "rk_a_b"))

    assert "changepassword operator" in said
