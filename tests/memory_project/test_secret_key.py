import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_project.secret import key

ASK = "import sys, pathlib; from memory_project import secret; print(secret.key(pathlib.Path(sys.argv[1]), 'secret_key'))"


def test_it_gives_the_same_secret_every_time(tmp_path: Path):
    first = key(tmp_path / "new", "secret_key")

    again = key(tmp_path / "new", "secret_key")

    assert again == first


def test_two_names_have_two_secrets(tmp_path: Path):
    one = key(tmp_path, "secret_key")

    other = key(tmp_path, "pseudonym_key")

    assert one != other
    assert key(tmp_path, "secret_key") == one


def test_its_file_is_for_the_owner_alone(tmp_path: Path):
    key(tmp_path, "secret_key")

    mode = (tmp_path / "secrets.json").stat().st_mode

    assert mode & 0o777 == 0o600


def test_first_starts_at_once_read_one_secret(tmp_path: Path):
    command = [sys.executable, "-c", ASK, str(tmp_path / "new")]
    starts = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]

    secrets = {start.communicate()[0].strip() for start in starts}

    assert len(secrets) == 1
    assert secrets == set(json.loads((tmp_path / "new" / "secrets.json").read_text()).values())


def test_it_names_the_file_that_is_broken(tmp_path: Path):
    (tmp_path / "secrets.json").write_text("{", encoding="utf-8")

    with pytest.raises(ImproperlyConfigured, match=r"secrets\.json.*RECOLLECT_DATA"):
        key(tmp_path, "secret_key")


def test_it_refuses_a_folder_that_cannot_be(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(ImproperlyConfigured, match="RECOLLECT_DATA"):
        key(tmp_path / "file" / "below", "secret_key")
