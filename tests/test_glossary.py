"""The glossary holds each term once, in order, and every model of the product."""

import re
from pathlib import Path

from django.apps import apps

GLOSSARY = (Path(__file__).resolve().parent.parent / "GLOSSARY.md").read_text()
HEADS = re.findall(r"^- \*\*(.+?)\*\*(.*?):", GLOSSARY, re.MULTILINE)
OURS = {
    "accounts",
    "audit",
    "consolidation",
    "crisis",
    "feedback",
    "knowledge",
    "memory",
    "recall",
}


def test_the_terms_stand_in_order_and_each_stands_once():
    terms = [(name.lower(), name + qualifier) for name, qualifier in HEADS]

    assert terms == sorted(terms)
    assert len({term for _, term in terms}) == len(terms)


def test_every_model_is_in_the_glossary():
    models = {model.__name__ for model in apps.get_models() if model._meta.app_label in OURS}

    assert {name for name in models if f"`{name}`" not in GLOSSARY} == set()
