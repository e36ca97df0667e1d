"""What the import contracts cannot see."""

import tomllib
from pathlib import Path

import pytest
from django.urls import URLPattern, get_resolver
from django.urls.resolvers import URLResolver
from rest_framework.permissions import BasePermission

ROOT = Path(__file__).resolve().parent.parent
# Whoever asks gets an answer here: nothing in it is anyone's memory.
PUBLIC = {
    "health/live",
    "health/ready",
    "metrics",
    "api/v1/schema",
    "api/v1/docs",
    "login/",
    "logout/",
    # The address is the key: signed, of one erasure, with numbers alone; and a link that is used once.
    "erasures/<str:token>/",
    "erasures/<str:token>/certificate",
    "enter/<str:token>/",
}
PAGES = {
    "",
    "sessions/<uuid:session>/",
    "sessions/<uuid:session>/chain",
    "sessions/<uuid:session>/end",
    "memory/<owner:owner>/privacy/",
    "memory/<owner:owner>/privacy/recall",
    "memory/<owner:owner>/privacy/consent",
    "memory/<owner:owner>/privacy/reads",
    "memory/<owner:owner>/privacy/export",
    "memory/<owner:owner>/privacy/erase",
}


def modules() -> list[Path]:
    skipped = {".venv", "var", ".git"}
    return [path for path in ROOT.rglob("*.py") if not skipped & set(path.parts)]


def routes(patterns, prefix: str = "") -> list[tuple[str, URLPattern]]:
    found: list[tuple[str, URLPattern]] = []
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            found += [] if path.startswith("admin/") else routes(pattern.url_patterns, path)
        else:
            found.append((path, pattern))
    return found


def test_the_contracts_name_every_package():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert packages - {"tests", "bench"} == set(config["tool"]["importlinter"]["root_packages"])


def test_no_module_is_too_long():
    sizes = {
        str(path): len(path.read_text().splitlines())
        for path in modules()
        if "migrations" not in path.parts
    }

    assert {name: size for name, size in sizes.items() if size > 400} == {}


def test_models_are_imported_and_not_looked_up():
    found = [
        path for path in modules() if "migrations" not in path.parts and "tests" not in path.parts
    ]

    assert [str(path) for path in found if "get_model(" in path.read_text()] == []


def test_no_template_and_no_code_marks_text_as_safe():
    templates = [path.read_text() for path in (ROOT / "templates").rglob("*.html")]
    code = [path.read_text() for path in modules() if "tests" not in path.parts]

    assert not any("|safe" in text or "autoescape off" in text for text in templates)
    assert not any("mark_safe" in text for text in code)


def test_every_route_asks_who_calls():
    open_routes = set()
    for path, pattern in routes(get_resolver().url_patterns):
        view = getattr(pattern.callback, "cls", None)
        permissions = getattr(view, "permission_classes", ())
        is_guarded = bool(permissions) and all(
            issubclass(one, BasePermission) for one in permissions
        )
        if not is_guarded:
            open_routes.add(path)

    # test_doors.py in tests/inspector/console and in tests/inspector/person try each of theirs.
    tried = ("console/", "memory/")
    open_routes = {path for path in open_routes if not path.startswith(tried)}
    assert open_routes - PAGES <= PUBLIC


@pytest.mark.django_db
@pytest.mark.parametrize("path", sorted(PAGES))
def test_every_page_asks_to_sign_in(client, path):
    url = "/" + path.replace("<uuid:session>", "01a1fc16-b108-7283-92fb-dd5eeee93618")
    url = url.replace("<owner:owner>", "1")

    is_posted = path.endswith(("end", "recall", "consent", "export"))
    answer = client.post(url) if is_posted else client.get(url)

    assert answer.status_code == 302
    assert answer.url.startswith("/login/")
