"""Django for a measurement; imported before anything that needs it."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
os.environ.setdefault("RECOLLECT_EMBEDDER", "hashing")
# One client that never waits: the limit is counted and never met.
os.environ.setdefault("RECOLLECT_REQUESTS_PER_SECOND", "100000")
django.setup()

import psycopg
from django.conf import settings
from django.db import connection
from pgvector.psycopg import register_vector

settings.ALLOWED_HOSTS.append("testserver")
# What the server itself sets for each of its connections.
SESSION = "set jit = off; set plan_cache_mode = force_generic_plan; set max_parallel_workers_per_gather = 0"


def bare() -> psycopg.Connection:
    """Return a connection of the driver's own, each statement durable by itself."""
    raw = psycopg.connect(**arguments(), autocommit=True)
    register_vector(raw)
    raw.execute(SESSION)
    return raw


def arguments() -> dict[str, str]:
    found = connection.settings_dict
    known = {
        "host": found["HOST"],
        "port": str(found["PORT"]),
        "user": found["USER"],
        "dbname": found["NAME"],
    }
    return known | ({"password": found["PASSWORD"]} if found["PASSWORD"] else {})
