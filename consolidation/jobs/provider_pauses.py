"""A provider that asks for a rest gets it from all workers: the jobs that wait say until when."""

from django.db import connection

CODE = "provider_rate_limited"
LEFT = """
select coalesce(extract(epoch from max(not_before) - now())::float8, 0) from consolidation_job
where state = 'due' and not_before > now() and last_error_code = %s
"""


def seconds_left() -> float:
    """Return how long nobody should ask the provider of vectors; 0 when it did not say so."""
    with connection.cursor() as cursor:
        cursor.execute(LEFT, (CODE,))
        found: tuple[float] = cursor.fetchone()
    return found[0]
