"""How the installation bears load: what waits, and what comes in.

python -m memory_project.with_postgres python -m bench.under_load
"""

from bench import setup  # isort: skip  # Django is set up before what needs it is imported

from django.core.management import call_command

from accounts.setup import first_run
from bench import waiting


def main() -> None:
    call_command("migrate", verbosity=0)
    first_run()
    with setup.bare() as raw:
        print("| shape | open jobs | jobs a second, one worker | to 1k | take, ms | enqueue, ms |")
        print("|---|---|---|---|---|---|")
        least = 0.0
        for row in waiting.rows(raw):
            least = row.rate if row.waiting == waiting.SIZES[0] else least
            print(
                f"| {row.shape} | {row.waiting:,} | {row.rate:.0f} | {least / row.rate:.2f} "
                f"| {row.take:.2f} | {row.enqueue:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
