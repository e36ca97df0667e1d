"""How the installation bears load: what a job costs while others wait, and how fast vectors are made.

    python -m memory_project.with_postgres python -m bench.under_load [--open 1000,100000,1000000]

Jobs are claimed and ended one after the other by one worker, while so many more wait: all of one
subject, and of 2,000 subjects of as many owners. The ratio is to the smallest.
"""

from bench import setup  # isort: skip  # Django is set up before what needs it is imported

import argparse
import time

from django.core.management import call_command

from accounts.setup import first_run
from bench import waiting
from providers.errors import ProviderMisconfigured
from providers.local import LocalEmbedder

HEAD = "| shape | open jobs | jobs a second, one worker | slower than the least | take, ms | enqueue, ms |"
TEXT = "On Monday she moved into the flat above the bakery, and her brother helped with the boxes. "
TEXTS = 96


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--open", default=",".join(map(str, waiting.SIZES)))
    sizes = [int(size) for size in parser.parse_args().open.split(",")]
    call_command("migrate", verbosity=0)
    first_run()
    _queue(sizes)
    _vectors()


def _queue(sizes: list[int]) -> None:
    print(f"{HEAD}\n|---|---|---|---|---|---|")
    least = 0.0
    with setup.bare() as raw:
        for row in waiting.rows(raw, sizes):
            least = row.rate if row.waiting == sizes[0] else least
            print(
                f"| {row.shape} | {row.waiting:,} | {row.rate:.0f} | {least / row.rate:.2f} "
                f"| {row.take:.2f} | {row.enqueue:.2f} |",
                flush=True,
            )


def _vectors() -> None:
    """Print how many chunks the local model embeds in a second of one core."""
    try:
        model = LocalEmbedder()
    except ProviderMisconfigured as error:
        print(f"the local model: {error}")
        return
    texts = [TEXT * (1 + n % 8) for n in range(TEXTS)]
    model.embed(texts[:8])
    began = time.process_time()
    for start in range(0, TEXTS, model.batch_size):
        model.embed(texts[start : start + model.batch_size])
    print(f"local model: {TEXTS / (time.process_time() - began):.1f} chunks a second of a core")


if __name__ == "__main__":
    main()
