"""A page asks the database no more often for 60 rows than for a few."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.driver import raw
from bench.many import fill_many
from tests.test_permissions import PAGES, Row, asked, report
from tests.walk.people import browser, cookies_of
from tests.walk.rows import enrich, fill_home, values_of

# Of tables that no copy of a row is made of, or that ask nothing.
PUBLIC = ("health/", "metrics", "api/", "login/", "enter/", "erasures/", "admin/")
# The page of an erasure counts in every table.
MOST = 60
# A prompt is no list: of more saved facts than it may hold, it asks which are meant.
SEARCHES = "console/sessions/<uuid:session>/prompt"


@pytest.fixture
def home(settings, tmp_path, porter):
    """Return one of alice's sessions, what stands in the addresses, and the cookies of who asks."""
    settings.DATA_DIR = tmp_path
    session = fill_home(porter)
    cookies = cookies_of(porter, session.owner.user)
    return session, enrich(values_of(session), porter), cookies


def questions(rows: list[Row], values, cookies) -> dict[str, int]:
    """Return how many queries each page takes, of the keeper and of alice herself."""
    counts = {}
    for row in rows:
        for who in ("superuser", "alice"):
            if row.expected[who] == "in":
                client = browser(cookies[who])
                with CaptureQueriesContext(connection) as found:
                    asked(client, row, values)
                counts[f"{row.name} of {who}"] = len(found)
    return counts


def test_every_page_takes_as_many_queries_for_sixty_rows_as_for_a_few(home):
    session, values, cookies = home
    pages = [
        row
        for row in PAGES
        if row.method == "GET" and row.path != SEARCHES and not row.path.startswith(PUBLIC)
    ]
    fill_many(raw(), session, 3)
    questions(pages, values, cookies)  # what the process keeps is kept from here on
    few = questions(pages, values, cookies)
    fill_many(raw(), session, 60, first=4)

    many = questions(pages, values, cookies)

    report([f"{name}: {few[name]}, then {many[name]}" for name in few if few[name] < many[name]])
    report([f"{name}: {count}" for name, count in many.items() if count > MOST])
