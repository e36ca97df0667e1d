from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from audit.prices import FREE, Price, price_of
from memory_project.prices import KNOWN, amount, prices, version


def test_without_a_text_the_table_is_as_it_comes():
    assert prices(" ") == KNOWN


def test_a_model_is_added_and_another_replaced():
    table = prices('{"mine": {"input": 0.5, "output": "1.25"}, "gpt-4.1": {"embedding": 3}}')

    assert table["mine"] == Price(Decimal("0.5"), Decimal("1.25"))
    assert table["gpt-4.1"] == Price(embedding=Decimal(3))
    assert table["gpt-4.1-mini"] == KNOWN["gpt-4.1-mini"]
    assert version(table) != version(KNOWN)


@pytest.mark.parametrize(
    "raw",
    [
        "no JSON",
        "[]",
        "7",
        '{"m": 7}',
        '{"m": {"inputs": 1}}',
        '{"m": {"input": -1}}',
        '{"m": {"input": NaN}}',
        '{"m": {"input": Infinity}}',
        '{"m": {"input": "1e99"}}',
        '{"m": {"input": 1e999999999999}}',
        '{"m": {"input": "one"}}',
        '{"m": {"input": null}}',
        '{"m": {"input": true}}',
        '{"m": {"input": [1]}}',
        "[" * 100_000,
        "{" + ", ".join(f'"m{n}": {{}}' for n in range(1_001)) + "}",
    ],
    ids=lambda raw: raw[:30],
)
def test_it_refuses_what_is_no_table_of_prices(raw):
    with pytest.raises(ImproperlyConfigured, match="RECOLLECT_PRICES"):
        prices(raw)


def test_an_amount_is_dollars_or_nothing():
    assert amount(" 0.0001 ") == Decimal("0.0001")
    assert amount(" ") is None
    with pytest.raises(ImproperlyConfigured, match="RECOLLECT_SYSTEM_EMBEDDINGS"):
        amount("-1")


def test_a_million_tokens_cost_what_the_table_says():
    micro_usd = KNOWN["gpt-4.1-mini"].of(input_tokens=1_000_000, output_tokens=500_000)

    assert micro_usd == Decimal(1_200_000)


def test_a_model_nobody_knows_has_no_price_and_one_of_ours_is_free():
    assert price_of("unheard-of", embeds=False, is_ours=False) is None
    assert price_of("all-MiniLM-L6-v2", embeds=True, is_ours=True) == FREE


@pytest.mark.requirement("TS-73")
def test_system_embeddings_price_every_embedding_and_no_answer(settings):
    settings.SYSTEM_EMBEDDINGS = Decimal("0.0001")

    assert price_of("all-MiniLM-L6-v2", embeds=True, is_ours=True) == Price(
        embedding=Decimal("0.1")
    )
    assert price_of("unheard-of", embeds=False, is_ours=False) is None
