"""Every route of the project, as the resolver has it."""

from collections.abc import Iterator, Mapping

from django.contrib import admin
from django.urls import URLPattern, get_resolver
from django.urls.resolvers import URLResolver

# What the admin has of one model, it has of each: tests/admin/test_tenancy.py tries them all.
ONE_MODEL = "admin/memory/session/"
# A row of docs/permissions.md writes this for the regular expressions of the admin.
PLAIN = {
    "admin/^(?P<app_label>audit|accounts|auth|memory|knowledge|recall|consolidation)/$": "admin/<app>/",
    "admin/(?P<url>.*)$": "admin/<anything else>",
}


def routes() -> list[str]:
    """Return the path of every route, one model's standing for all of the admin's."""
    found = [PLAIN.get(path, path) for path, _ in _walked(get_resolver().url_patterns, "")]
    models = tuple(
        f"admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry
    )
    others = tuple(one for one in models if one != ONE_MODEL)
    return [path for path in found if not path.startswith(others)]


def filled(path: str, values: Mapping[str, object]) -> str:
    """Return the address of a route with its values in place; longer names of values win."""
    address = "/" + path
    for name in sorted(values, key=len, reverse=True):
        address = address.replace(name, _without_mark(name, str(values[name])))
    assert "<" not in address, f"tests/walk/rows.py has no value for a part of {path}"
    return address


def _without_mark(name: str, value: str) -> str:
    """Return what takes the place of a name such as `changes/<int:one>`."""
    return name[: name.index("<")] + value


def _walked(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, object]]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walked(pattern.url_patterns, path)
        else:
            yield path, pattern
