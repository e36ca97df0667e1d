"""What axe finds wrong with a page, in light and in dark."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

GRAVE = {"serious", "critical"}


def accessible(page: Page) -> list[str]:
    """Return the grave faults of a page, each named with where it is; the page is dark after it."""
    found: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in GRAVE:
                places = [str(node["target"]) for node in fault["nodes"][:4]]
                found.append(f"{scheme}: {fault['id']} at {', '.join(places)}")
    return found
