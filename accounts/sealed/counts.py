"""How writing to the ledgers went, for the metrics."""

from prometheus_client import CollectorRegistry, Counter

SEALED = CollectorRegistry()
WRITES = Counter(
    "recollect_sealed_writes",
    "Records of crises and feedback, by what became of them",
    ["ledger", "outcome"],
    registry=SEALED,
)
