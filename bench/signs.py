"""What a vector of each old passage costs: whole, as its signs, or none.

    python -m memory_project.with_postgres python -m bench.signs [--write] [--sizes 10000,100000]

One owner of each size. Whole vectors are searched as the product does, exactly below
RECOLLECT_GRAPH_ROWS and by a graph beyond; signs by their Hamming distance, without whole vectors to
rank the nearest again. The times are medians of searches in turn, in milliseconds of the server's
processor.
"""

from bench import setup  # isort: skip  # Django is set up before what needs it is imported

import argparse
import statistics
from pathlib import Path

import numpy as np
import psycopg
from django.conf import settings
from django.core.management import call_command
from pgvector import HalfVector

from bench.figures import Table

SIZES = (10_000, 100_000, 1_000_000)
DIMENSION, DISTINCT, ROUNDS, WARM = 384, 10_000, 20, 3
HEAD = "| passages | whole: MB | signs: MB | whole: ms | signs: ms |\n|---|---|---|---|---|"
WHOLE = """
create unlogged table whole (owner int, document int, embedding halfvec(384));
alter table whole alter embedding set storage plain;
"""
SEARCH = {
    "exact": "select document from (select document, embedding <=> %s d from whole where owner = 1 offset 0) m order by d limit 50",
    "graph": "select document from whole where owner = 1 order by embedding <=> %s limit 50",
    "signs": "select document from (select document, bits <~> (select binary_quantize(%s::halfvec(384)))::bit(384) d from signs where owner = 1 offset 0) m order by d limit 50",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    table = Table("old-passages") if asked.write else None
    rows = [HEAD]
    call_command("migrate", verbosity=0)
    with setup.bare() as raw:
        raw.execute("set statement_timeout = 0; set maintenance_work_mem = '1GB'")
        for size in map(int, asked.sizes.split(",")):
            rows.append(_row(raw, size))
            print(rows[-1], flush=True)
    if table:
        table.write("\n".join(rows))


def _row(raw: psycopg.Connection, size: int) -> str:
    """Fill both tables, and return a line of what they take and how long they are searched."""
    _fill(raw, size)
    has_graph = size > settings.GRAPH_ROWS
    if has_graph:
        raw.execute(
            "create index on whole using hnsw (embedding halfvec_cosine_ops) "
            "with (m = 16, ef_construction = 64) where owner = 1"
        )
        raw.execute(f"set hnsw.ef_search = {200 if size > 100_000 else 100}")
    raw.execute("vacuum analyze whole")
    raw.execute("vacuum analyze signs")
    whole, signs = (_bytes(raw, name) / 1e6 for name in ("whole", "signs"))
    times = _times(raw, "graph" if has_graph else "exact")
    return f"| {size:,} | {whole:,.0f} | {signs:,.0f} | {times[0]:.1f} | {times[1]:.1f} |"


def _fill(raw: psycopg.Connection, size: int) -> None:
    raw.execute("drop table if exists whole, signs")
    raw.execute(WHOLE)
    chance = np.random.default_rng(7)
    with raw.cursor().copy("copy whole (owner, document, embedding) from stdin") as copy:
        for number, vector in enumerate(chance.normal(size=(min(size, DISTINCT), DIMENSION))):
            copy.write_row((1, number, HalfVector(vector).to_text()))
    # A copy is turned a little: a graph of equal vectors is none.
    for part in range(1, size // DISTINCT):
        turned = HalfVector(chance.normal(size=DIMENSION) * 0.3)
        raw.execute(
            "insert into whole select 1, document + %s, embedding + %s from whole where document < %s",
            (part * DISTINCT, turned, DISTINCT),
        )
    raw.execute("create index on whole (owner) include (document, embedding)")
    raw.execute(
        "create unlogged table signs as "
        "select owner, document, binary_quantize(embedding)::bit(384) bits from whole"
    )
    raw.execute("create index on signs (owner) include (document, bits)")


def _bytes(raw: psycopg.Connection, table: str) -> int:
    ((size,),) = raw.execute("select pg_total_relation_size(%s)", (table,)).fetchall()
    return int(size)


def _times(raw: psycopg.Connection, way: str) -> tuple[float, float]:
    """Return the medians of both searches, each in turn."""
    chance, spent = np.random.default_rng(9), {way: [], "signs": []}
    for _ in range(ROUNDS + WARM):
        vector = HalfVector(chance.normal(size=DIMENSION))
        for name, times in spent.items():
            before = _processor(raw)
            raw.execute(SEARCH[name], (vector,), prepare=True, binary=True).fetchall()
            times.append(_processor(raw) - before)
    return statistics.median(spent[way][WARM:]), statistics.median(spent["signs"][WARM:])


def _processor(raw: psycopg.Connection) -> float:
    """Return how many milliseconds of processor this connection's server process has used."""
    return int(Path(f"/proc/{raw.info.backend_pid}/schedstat").read_text().split()[0]) / 1e6


if __name__ == "__main__":
    main()
