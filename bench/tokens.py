"""How far the estimate of tokens is from real tokenizers, on labelled dialogues and other scripts.

    [TIKTOKEN_CACHE_DIR=FOLDER] python -m bench.tokens --data FOLDER [--tokenizer FILE …] [--write]

The dialogues are those of FOLDER/*.dev.json.gz; the other scripts are Django's own translations.
FILE is a tokenizer.json; the encodings of tiktoken are used where it is installed and has them.
"""

import argparse
import gettext
import gzip
import json
from pathlib import Path

import django
import numpy as np

from bench.figures import Table
from memory.budget import estimate
from memory.tokenizer import Count, encodings, tokenizer
from providers.local import model_folder

LANGUAGES = (
    *("ru", "uk", "zh_Hans", "zh_Hant", "ja", "ko"),
    *("de", "fr", "es", "pl", "vi", "el", "ar", "he", "hi", "th", "ka"),
)
SHORTEST = 12


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, action="append", default=[])
    parser.add_argument(
        "--write", action="store_true", help="write MiniLM's table of docs/figures.md"
    )
    asked = parser.parse_args()
    table = Table("tokens") if asked.write else None
    counts = {"MiniLM": tokenizer(str(model_folder() / "tokenizer.json"))} | encodings()
    counts |= {path.stem: tokenizer(str(path)) for path in asked.tokenizer}
    rows = ["| texts | tokenizer | mean ratio | p5 | p95 | total |", "|---|---|---|---|---|---|"]
    print("\n".join(rows))
    for path in sorted(asked.data.glob("*.dev.json.gz")):
        rows += _report(path.name.split(".")[0], _turns(path), counts)
    # MiniLM knows English only: it is no measure of the others.
    others = {name: count for name, count in counts.items() if name != "MiniLM"}
    for language in LANGUAGES:
        rows += _report(f"Django, {language}", _translations(language), others)
    if table:
        table.write("\n".join(rows))


def _report(name: str, texts: list[str], counts: dict[str, Count]) -> list[str]:
    """Print and return a row for each tokenizer."""
    rows = []
    estimated = np.array([estimate(text) for text in texts])
    for against, count in counts.items():
        real = np.array([max(count(text), 1) for text in texts])
        ratios = estimated / real
        low, high = np.percentile(ratios, [5, 95])
        total = estimated.sum() / real.sum()
        values = f"{ratios.mean():.2f} | {low:.2f} | {high:.2f} | {total:.2f}"
        rows.append(f"| {name} | {against} | {values} |")
        print(rows[-1])
    return rows


def _turns(path: Path) -> list[str]:
    content = json.loads(gzip.decompress(path.read_bytes()))
    texts = [turn["text"] for conv in content["convs"] for turn in conv["turns"]]
    return [text for text in texts if text.strip()]


def _translations(language: str) -> list[str]:
    found: set[str] = set()
    for path in sorted(Path(django.__file__).parent.rglob(f"locale/{language}/**/django.mo")):
        with path.open("rb") as file:
            catalog = gettext.GNUTranslations(file)._catalog  # noqa: SLF001 - no other way to list it
        found |= {text for text in catalog.values() if len(text) > SHORTEST}
    # Placeholders are code, and what is long and holds none is prose.
    return sorted(text for text in found if not set("%{:") & set(text))


if __name__ == "__main__":
    main()
