"""Where the providers' calls meet the prices, the ledger and whoever pays."""

import logging
from functools import partial

from django.conf import settings
from django.db import DatabaseError, OperationalError, transaction

from accounts import credits
from accounts.billing import Charge, current
from audit.costs import CostedCall
from audit.prices import FREE, Price, price_of
from providers.errors import OutOfCredit, ProviderUnavailable
from providers.metered import Settle, Use
from providers.registry import OURS

log = logging.getLogger(__name__)


def reserve(use: Use) -> Settle:
    """Reserve what a call is expected to cost. Raises OutOfCredit, or ProviderUnavailable without a ledger.

    What costs nothing by a known price is not entered and sends no statement.
    """
    price = _price(use)
    if price == FREE:
        return _forget
    charge = current()
    try:
        reservation = credits.reserve(charge, _call(use, charge))
    except OperationalError as error:
        raise ProviderUnavailable("the ledger does not answer", counts_as_attempt=True) from error
    if reservation is None:
        raise OutOfCredit("nothing left to pay with", retry_after=credits.seconds_until_tomorrow())
    return partial(_settle, reservation, charge)


def _settle(reservation: credits.Reservation, charge: Charge, use: Use | None) -> None:
    try:
        with transaction.atomic():
            credits.settle(reservation, _call(use, charge) if use else None)
    except DatabaseError as error:
        # The answer is there: the sweep settles what it cost, at the estimate.
        log.warning("a call is not settled: %s", type(error).__name__)


def _forget(use: Use | None) -> None:
    """Settle what costs nothing."""


def _price(use: Use) -> Price | None:
    is_ours = use.provider in OURS
    return price_of(use.model, embeds=bool(use.embedding_tokens), is_ours=is_ours)


def _call(use: Use, charge: Charge) -> CostedCall:
    price = _price(use)
    tokens = {
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "embedding_tokens": use.embedding_tokens,
    }
    return CostedCall(
        purpose=charge.purpose or use.purpose,
        provider=use.provider,
        model=use.model,
        micro_usd=(price or FREE).of(**tokens),
        price_version=settings.PRICES_VERSION,
        is_unpriced=price is None,
        **tokens,
    )
