"""What the image and compose.yaml promise, read from them: this machine may run no containers."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = ("setup", "incognito", "web", "worker")


def known() -> set[str]:
    page = (ROOT / "docs" / "settings.md").read_text()
    return set(re.findall(r"^\| `([A-Z_]+)`", page, re.MULTILINE))


def test_every_service_runs_a_command_that_there_is() -> None:
    commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")}

    assert set(COMPOSE["services"]) == {"database", *OURS}
    assert {COMPOSE["services"][name]["command"][0] for name in OURS} <= commands


def test_every_setting_that_is_given_is_one() -> None:
    given = set(COMPOSE["x-server"]["environment"])
    given |= set(re.findall(r"\b(RECOLLECT_[A-Z]+)=", DOCKERFILE))

    assert given <= known()


def test_nothing_but_the_web_server_is_reachable_and_that_from_this_machine_alone() -> None:
    published = {name: it["ports"] for name, it in COMPOSE["services"].items() if "ports" in it}

    assert list(published) == ["web"]
    assert published["web"][0].startswith("${RECOLLECT_PUBLISH:-127.0.0.1}:")


def test_what_must_survive_lies_in_volumes() -> None:
    services = COMPOSE["services"]

    assert services["database"]["volumes"] == ["database:/var/lib/postgresql"]
    assert all("data:/data" in services[name]["volumes"] for name in OURS)
    assert set(COMPOSE["volumes"]) == {"database", "data", "rooms"}


def test_the_server_runs_without_root_and_without_privileges() -> None:
    last = [line for line in DOCKERFILE.splitlines() if line.startswith("USER ")][-1]

    assert last == "USER 10001:10001"
    assert COMPOSE["x-server"]["cap_drop"] == ["ALL"]
    assert COMPOSE["x-server"]["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", ["database", "worker"])
def test_what_has_no_health_page_has_a_check_of_its_own(name: str) -> None:
    assert COMPOSE["services"][name]["healthcheck"]["test"][0] == "CMD"
    assert "\nHEALTHCHECK " in DOCKERFILE


def test_the_image_gets_every_package_of_the_wheel() -> None:
    sent = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    packed = re.search(
        r"only-include = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.DOTALL
    )

    assert packed is not None
    needed = set(re.findall(r'"([\w.]+)"', packed.group(1)))
    assert (
        needed | {"LICENSE", "README.md", "pyproject.toml", "requirements.lock", "deploy"} == sent
    )
