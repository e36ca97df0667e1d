"""How long the pages take for an owner with 100,000 rows in every list, and how many queries.

python -m memory_project.with_postgres python -m bench.pages [--rows 100000] [--plans] [--write]
"""

from bench import setup  # isort: skip  # Django is set up before what needs it is imported

import argparse
import random
import statistics
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import Agent, Organization, User
from bench.figures import Table
from bench.many import BEGUN, STEP, fill_many, id_at
from memory.models import Session
from recall.models import Receipt
from tests.walk.rows import fill_home

ROUNDS, GOAL, SLOW = 15, 200.0, 0.05
ROWS = 100_000
# Later than this is measured once.
FAR = 600.0
WORD = "word4711"


@dataclass(frozen=True, slots=True)
class Page:
    """An address, and who opens it: alice herself, staff of her organization, or the keeper."""

    who: str
    address: str


def pages(session: Session, rows: int) -> list[Page]:
    """Return every list: as it opens, with a word, and at its end."""
    owner, last = session.owner, rows // 25
    mine, one = f"/memory/{owner.pk}/", f"/console/sessions/{session.pk}/"
    receipt = Receipt.objects.filter(owner=owner).earliest("pk").pk
    old, past = id_at(50), datetime.fromtimestamp(BEGUN + 13_000 * STEP, UTC)
    before = urlencode({"before": f"{past.isoformat()}_{old}"})
    alices = [
        "/", f"/?q={WORD}", f"/?page={last}", "/?state=closed",
        f"/sessions/{session.pk}/", f"/sessions/{session.pk}/?page={last}",
        f"/sessions/{session.pk}/?show=chunks&page={last}",
        mine, f"{mine}facts/", f"{mine}facts/?q={WORD}", f"{mine}facts/?page={last}",
        f"{mine}facts/?state=no+longer", f"{mine}facts/?state=all&q={WORD}+number",
        f"{mine}sessions/", f"{mine}sessions/?q={WORD}", f"{mine}sessions/?page={last}",
        f"{mine}rules/", f"{mine}rules/?state=all&q={WORD}", f"{mine}rules/?state=no+longer&page={last}",
        f"{mine}timeline/", f"{mine}timeline/?{before}",
        f"{mine}notes/", f"{mine}notes/?page={last}", f"{mine}profile/", f"{mine}preview/?q={WORD}",
        f"{mine}search/?q={WORD}", f"{mine}search/?q=said", f"{mine}search/?q=th",
        f"{mine}facts/?q=said", "/?q=said",
        f"{mine}privacy/", f"{mine}privacy/reads", f"{mine}privacy/reads?page={last // 2}",
    ]  # fmt: skip
    staffs = [
        "/", f"/?q={WORD}", "/memory/", "/memory/?q=many+4711", f"/memory/?page={last}", "/console/",
        "/console/?days=90", "/console/candidates/", "/console/candidates/?state=held",
        "/console/candidates/?before=1000", "/console/rules/", "/console/rules/?show=archived",
        "/console/costs/", "/console/costs/?days=90&by=model", "/console/agents/", "/console/policies/",
        "/console/sessions/", f"/console/sessions/?q={WORD}", f"/console/sessions/?before={old}",
        "/console/sessions/?state=open", one, f"{one}?page={last}", f"{one}receipts",
        f"{one}prompt?q={WORD}", "/console/receipts/", "/console/receipts/?user=alice",
        "/console/receipts/?kind=context", f"/console/receipts/?before={old}", f"/console/receipts/{receipt}/",
    ]  # fmt: skip
    keepers = [
        "/", f"/?q={WORD}", "/memory/", "/console/", "/console/jobs/", "/console/jobs/?state=dead",
        "/console/jobs/?state=running", "/console/jobs/?kind=embed&before=500", "/console/spaces/",
        "/console/sealed/", "/console/sealed/?before=500", "/console/sessions/",
        f"/console/sessions/?q={WORD}", "/console/receipts/",
    ]  # fmt: skip
    by = {"alice": alices, "staff": staffs, "keeper": keepers}
    return [Page(who, address) for who, found in by.items() for address in found]


def browsers(session: Session) -> dict[str, Client]:
    home = session.owner.agent.organization
    people = {
        "alice": session.owner.user,
        "staff": User.objects.create_user("charlie", is_staff=True, organization=home),
        "keeper": User.objects.create_superuser("keeper"),
    }
    found = {}
    for name, person in people.items():
        found[name] = Client(raise_request_exception=False)
        found[name].force_login(person)
    return found


class Asked:
    """Notes each statement of Django's connection, with its seconds."""

    def __init__(self) -> None:
        self.statements: list[tuple[float, str, object]] = []

    def __call__(self, execute, sql, params, many, context):
        start = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.statements.append((time.perf_counter() - start, sql, params))


def measured(client: Client, address: str) -> tuple[list[float], int, int]:
    """Return milliseconds of each round, the number of queries, and the status."""
    asked = Asked()
    client.get(address)  # what is noted once an hour is noted
    with connection.execute_wrapper(asked):
        status = client.get(address).status_code
    times = []
    for _ in range(ROUNDS):
        if times and times[0] > FAR:
            break
        start = time.perf_counter()
        client.get(address)
        times.append((time.perf_counter() - start) * 1_000)
    return times, len(asked.statements), status


def plans(client: Client, address: str) -> None:
    """Print the plan of each statement of a page that takes more than 50 ms."""
    asked = Asked()
    with connection.execute_wrapper(asked):
        client.get(address)
    for seconds, sql, params in asked.statements:
        if seconds > SLOW:
            print(f"\n-- {address}: {seconds:.3f} s\n{sql[:2000]}\n{str(params)[:200]}")
            with connection.cursor() as cursor:
                cursor.execute("set statement_timeout = 10000")
                cursor.execute("explain (analyze, buffers) " + sql, params)
                print("\n".join(row[0] for row in cursor.fetchall()))


def main() -> int:
    """Return 1 when a page is later than its goal."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--rows", type=int, default=ROWS)
    reader.add_argument("--plans", action="store_true", help="print the plans of slow statements")
    reader.add_argument("--write", action="store_true", help="write the table of docs/figures.md")
    asked = reader.parse_args()
    if asked.write and asked.rows != ROWS:
        reader.error(f"--write needs {ROWS} rows")
    table = Table("pages") if asked.write else None
    settings.DEBUG = False
    call_command("migrate", verbosity=0)
    home = Organization.objects.create(slug="bench", name="Bench")
    session = fill_home(Agent.objects.create(organization=home, slug="porter"))
    with setup.bare() as raw:
        fill_many(raw, session, asked.rows)
        raw.execute("vacuum analyze")
    clients = browsers(session)
    print(f"{'page':72s}{'p50 ms':>8s}{'p95 ms':>8s}{'queries':>9s}")
    late, rows = 0, ["| page | p50 ms | p95 ms | queries |", "|---|---|---|---|"]
    for page in pages(session, asked.rows):
        times, queries, status = measured(clients[page.who], page.address)
        p95 = sorted(times)[int(0.95 * len(times))]
        address = page.address.replace(str(session.pk), "…")
        said = f"{page.who} {address}"
        rows.append(
            f"| {page.who} `{address}` | {statistics.median(times):.0f} | {p95:.0f} | {queries} |"
        )
        mark = "" if status == 200 and p95 < GOAL else f"  {status} LATE"
        print(
            f"{said[:71]:72s}{statistics.median(times):8.1f}{p95:8.1f}{queries:9d}{mark}",
            flush=True,
        )
        if mark and asked.plans:
            plans(clients[page.who], page.address)
        late += bool(mark)
    if table:
        table.write("\n".join(rows))
    return 1 if late else 0


if __name__ == "__main__":
    random.seed(7)
    sys.exit(main())
