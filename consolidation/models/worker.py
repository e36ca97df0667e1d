"""Workers and their heartbeats."""

from django.db import models


class WorkerHeartbeat(models.Model):
    """When a worker of a host last did a job."""

    host = models.CharField(max_length=255, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host
