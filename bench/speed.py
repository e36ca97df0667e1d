"""How fast the server is, as ratios against bare SQL measured interleaved in one run.

    python -m memory_project.with_postgres python -m bench.speed [--write]

Every figure is a median over rounds in which each way is tried once, in random order; what runs in
processes of its own is counted over a few seconds. The bare statements get what the server's own
connections get: a prepared plan, binary rows.
"""

from bench import setup  # isort: skip  # Django is set up before what needs it is imported

import argparse

from django.core.management import call_command

from accounts.models import Agent
from accounts.setup import first_run
from bench import context, injection, jobs, measure, reading, store, writing
from bench.figures import Table
from memory.models import EmbeddingSpace

SIZES = (1_000, 3_000, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="write the table of docs/figures.md")
    table = Table("speed") if parser.parse_args().write else None
    call_command("migrate", verbosity=0)
    first_run()
    agent = Agent.objects.get()
    space, _ = EmbeddingSpace.objects.get_or_create(
        model="bench", version="1", dimension=store.DIMENSION
    )
    filled = {size: store.fill(agent, size, space) for size in SIZES}
    with setup.bare() as raw:
        raw.execute("vacuum analyze")
        measure.head()
        for one in filled.values():
            reading.search(raw, agent, one, space)
            reading.check(one, space)
        reading.context(agent)
        context.context(raw, agent, space)
        injection.injection(agent)
        writing.append(raw, agent)
        writing.writers(agent)
        jobs.jobs(raw)
        reading.grow(raw, agent, filled, space)
    if table:
        table.write("\n".join(measure.ROWS))


if __name__ == "__main__":
    main()
