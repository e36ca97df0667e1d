import shutil
from collections.abc import Iterator

import pytest
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, sync_playwright

from accounts.models import User

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="module")
def browser(django_db_setup: None) -> Iterator[Browser]:
    """Start a browser for the tests of a module."""
    # What was open is not the driver's: inside its loop this thread has connections of its own.
    connections.close_all()
    with pytest.MonkeyPatch.context() as patch:
        # The server answers each request in a thread that ends with its connection still open.
        patch.setitem(connections.databases["default"], "CONN_MAX_AGE", 0)
        # Django would take this thread's queries for async ones.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        with sync_playwright() as driver:
            made = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            yield made
            made.close()
            connections.close_all()


@pytest.fixture
def desk(client: Client, operator: User) -> Client:
    """Return the browser of a signed-in operator."""
    client.force_login(operator)
    return client
