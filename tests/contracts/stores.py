"""Records for the tests of stores, and the spaces that their vectors are in."""

from datetime import timedelta
from uuid import UUID, uuid4

import numpy as np
from django.utils import timezone

from knowledge.stores.base import Record
from memory.models import EmbeddingSpace

MODEL = "model@1"
OTHER = "other@1"
WRITTEN = {"write_timing": "immediate", "write_reason": "said so", "policy_version": "v1"}


def make_spaces() -> None:
    for model, state in (("model", "current"), ("other", "retired")):
        EmbeddingSpace.objects.create(model=model, version="1", dimension=3, state=state)


def vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def fact(quote: str, object: str = "work", *, key: UUID | None = None, **fields) -> Record:
    embedding, model = fields.pop("embedding", None), fields.pop("model", MODEL)
    value = {
        "category": "relationship",
        "subject_type": "User",
        "subject": "User",
        "predicate": "WORRIES_ABOUT",
        "object_type": "Concern",
        "object": object,
        "evidence_quote": quote,
        "confidence": "high",
        **WRITTEN,
        **fields,
    }
    return Record(key or uuid4(), value, embedding, model)


def arc(summary: str, *, days: float = 0, key: UUID | None = None, **fields) -> Record:
    embedding, model = fields.pop("embedding", None), fields.pop("model", MODEL)
    ended = timezone.now() - timedelta(days=days)
    value = {
        "session": uuid4(),
        "started_at": ended - timedelta(minutes=20),
        "ended_at": ended,
        "turn_count": 4,
        "themes": ["garden"],
        "summary": summary,
        **WRITTEN,
        **fields,
    }
    return Record(key or uuid4(), value, embedding, model)


def rule(text: str, *, key: UUID | None = None, **fields) -> Record:
    value = {"text": text, "confidence": "high", "source": "explicit_user", **WRITTEN, **fields}
    return Record(key or uuid4(), value)
