"""Whether a page can be used by everybody, as far as a program can tell."""

import os
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}
# Set to a folder, the tests leave pictures of the pages there.
PICTURES = os.environ.get("RECOLLECT_PICTURES")


def serious(page: Page) -> list[str]:
    """Return what keeps somebody from using a page; in the dark colours alone may differ."""
    found = Axe().run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    dark = {"runOnly": ["color-contrast"]}
    found += Axe().run(page, options=dark).response["violations"]
    page.emulate_media(color_scheme="light")
    return [
        f"{one['id']} {one['nodes'][0]['html'][:160]}" for one in found if one["impact"] in SERIOUS
    ]


def accessible(page: Page, name: str = "") -> None:
    """Fail on serious troubles of accessibility, in light and in dark; a name leaves pictures."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        found = Axe().run(page).response["violations"]
        serious = [
            (one["id"], [node["html"] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in SERIOUS
        ]
        if PICTURES and name:
            suffix = "" if scheme == "light" else "-dark"
            page.screenshot(path=Path(PICTURES) / f"{name}{suffix}.png", full_page=True)
        assert not serious, f"{page.url} in {scheme}: {serious}"
    page.emulate_media(color_scheme="light")
