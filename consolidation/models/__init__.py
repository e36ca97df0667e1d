"""Work that is due, who does it, and what waits to be learned."""

from consolidation.models.candidate import Candidate
from consolidation.models.erasure import Erasure
from consolidation.models.job import Job, WorkerHeartbeat
from consolidation.models.measure import DailyMeasure
from consolidation.models.observation import ContextEvent
from consolidation.models.run import CompactionRun, LearningRun, SynthesisRun
from consolidation.models.transfer import Import

__all__ = [
    "Candidate",
    "CompactionRun",
    "ContextEvent",
    "DailyMeasure",
    "Erasure",
    "Import",
    "Job",
    "LearningRun",
    "SynthesisRun",
    "WorkerHeartbeat",
]
