"""Four workers on our queue, or on the one that django-q2 brings: `python -m bench.cluster ours|stock`.

Both are django-q2's own cluster and do nothing at all for each job.
"""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

from django.conf import settings

WORKERS = 4
STOCK = {"name": settings.Q_CLUSTER["name"], "orm": "default", "workers": WORKERS}
OURS = settings.Q_CLUSTER | {"workers": WORKERS, "queue_limit": WORKERS}
# A job may take long; nobody waits for a statement of a worker.
settings.Q_CLUSTER = {"ours": OURS, "stock": STOCK}[sys.argv[1]]

import django

django.setup()

from django.core.management import call_command

from consolidation.job_kinds import KINDS

KINDS["nothing"] = lambda run: None

if __name__ == "__main__":
    call_command("qcluster")
