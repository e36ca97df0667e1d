"""What a person has forgotten: first a preview, then the act, and its return while there is time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Owner
from consolidation.deletion.forget import AT_ONCE, footprint_of
from consolidation.deletion.places.items import item_of
from consolidation.deletion.places.table import TRACES
from consolidation.deletion.remaining import Remaining, remaining
from consolidation.deletion.trace import Deletion, Footprint, Target
from consolidation.deletion.undo import contents_of, make_final, take_back_forgetting
from consolidation.edits.memory import forget_items
from inspector.faults import attempt
from inspector.http import PageRequest
from inspector.person.reading import LAYERS, cards, rows_of
from inspector.person.wording import Card, words_of
from inspector.whose import note_look, owner_for, owner_to_change
from knowledge.errors import ItemChanged
from knowledge.models import Forgetting
from knowledge.models.learned import Learned

# More at once is a mistake, or takes longer than a request may.
MOST_FORGOTTEN = 100
MOST_ACTS = 100
# A preview that shows more is not read.
MOST_SHOWN = 20
FOR_GOOD = "final"


@dataclass(frozen=True, slots=True)
class ForgettingLine:
    """One act of forgetting as its person reads it: what went, and until when it can come back."""

    row: Forgetting
    words: Sequence[str]


@require_POST
@login_required
def forget(request: PageRequest, owner: int, layer: str) -> HttpResponse:
    """First show what goes, then, once it is confirmed, forget it: for good at once, or after a while."""
    found = owner_to_change(request.user, owner)
    wanted = [one for one in map(_target_in(layer), request.POST.getlist("item")) if one]
    wanted = wanted[:MOST_FORGOTTEN]
    confirmed = request.POST.get("confirm", "")
    if not wanted:
        messages.error(request, "Choose what is to be forgotten first.")
    elif confirmed not in {"yes", FOR_GOOD}:
        return _preview(request, found, layer, wanted)
    else:
        _forget(request, found, wanted, AT_ONCE if confirmed == FOR_GOOD else _kept_for())
    return redirect("memory-items", owner=found.pk, layer=layer)


@require_GET
@never_cache
@login_required
def forgotten(request: PageRequest, owner: int) -> HttpResponse:
    """Show what was forgotten: what can still be taken back with its words, the rest by its date."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "forgotten")
    is_own = found.user_id == request.user.pk
    rows = list(Forgetting.objects.filter(owner=found).order_by("-made_at")[:MOST_ACTS])
    # What somebody had forgotten is nobody else's to read.
    acts = [ForgettingLine(row, _words(found, row) if is_own else ()) for row in rows]
    context = {"owner": found, "tab": "forgotten", "acts": acts, "days": settings.FORGOTTEN_DAYS}
    return render(request, "person/forgotten.html", context)


@require_POST
@login_required
def take_back(request: PageRequest, owner: int, act: UUID) -> HttpResponse:
    """Bring back what one act took."""
    found, actor = owner_to_change(request.user, owner), str(request.user)
    done = "It is remembered again."
    attempt(request, lambda: take_back_forgetting(owner=found, act=act, actor=actor), done)
    return redirect("memory-forgotten", owner=found.pk)


@require_POST
@login_required
def finish(request: PageRequest, owner: int, act: UUID) -> HttpResponse:
    """Delete for good what could still be taken back."""
    found, actor = owner_to_change(request.user, owner), str(request.user)
    done = "It is gone for good. Nothing brings it back."
    attempt(request, lambda: make_final(owner=found, act=act, actor=actor), done)
    return redirect("memory-forgotten", owner=found.pk)


def _preview(
    request: PageRequest, owner: Owner, layer: str, wanted: Sequence[Target]
) -> HttpResponse:
    rows = rows_of(owner, layer).filter(pk__in=[one.id for one in wanted])
    chosen = list(rows.order_by("-pk"))
    deletion = Deletion(owner, items=chosen)
    footprint = footprint_of(deletion)
    stays = remaining(owner, deletion.matchers, [row.pk for row in chosen])
    context = {
        "owner": owner,
        "tab": layer,
        "layer": layer,
        "cards": cards(owner, layer, chosen),
        "derived": derived_words(footprint),
        "lines": lines_of(footprint),
        "events": footprint["events"],
        "cuts": footprint["cuts"],
        "stays": stays,
        "others": _others(owner, stays),
        "until": timezone.now() + _kept_for(),
        "days": settings.FORGOTTEN_DAYS,
    }
    return render(request, "person/forget.html", context)


def derived_words(footprint: Footprint) -> list[str]:
    """Return what goes besides the items, each once, in words."""
    return list(
        dict.fromkeys(
            words
            for trace in TRACES
            if trace.is_kept
            for words in map(trace.words, footprint.get(trace.name, ()))
            if words
        )
    )


def lines_of(footprint: Footprint) -> list[str]:
    """Return the words of the first messages that tell it, each once."""
    texts = (str(entry["text"]) for entry in footprint["events"] if entry["text"])
    return list(dict.fromkeys(texts))[:MOST_SHOWN]


def _others(owner: Owner, stays: Remaining) -> list[Card]:
    """Return the facts and rules that tell it too, and are not chosen."""
    return [
        one
        for layer, ids in (("facts", stays.facts), ("rules", stays.rules))
        for one in cards(owner, layer, list(rows_of(owner, layer).filter(pk__in=ids)))
    ]


def _forget(
    request: PageRequest, owner: Owner, wanted: Sequence[Target], keep_for: timedelta
) -> None:
    actor = str(request.user)
    try:
        gone = forget_items(owner=owner, items=wanted, actor=actor, keep_for=keep_for)
    except ItemChanged:
        messages.error(
            request, "One of them has changed meanwhile. Nothing was forgotten: look again."
        )
        return
    if gone.act is None:
        messages.error(request, "What was chosen is gone already. Nothing was forgotten.")
    elif keep_for:
        day = date_format(gone.act.final_at, "j M Y")
        rest = f"Until {day} you can take it back under “Forgotten”."
        messages.success(request, f"Forgotten: {len(gone.items)}. {rest}")
    else:
        messages.success(request, f"Forgotten: {len(gone.items)}. Nothing brings it back.")


def _kept_for() -> timedelta:
    return timedelta(days=settings.FORGOTTEN_DAYS)


def _words(owner: Owner, row: Forgetting) -> list[str]:
    """Return what one act took, in plain words; empty once it is final."""
    if not row.is_open:
        return []
    contents = contents_of(row)
    rows = (item_of(owner, entry) for entry in contents.get("items", ()))
    items = [words_of(row) for row in rows if isinstance(row, Learned)]
    return items or derived_words(contents)


def _target_in(layer: str) -> Callable[[str], Target | None]:
    """Return what reads an id and a version, joined by a colon, of a form; None for anything else."""

    def read(text: str) -> Target | None:
        name, _, version = text.partition(":")
        try:
            return Target(LAYERS[layer], UUID(name), int(version[:9]))
        except ValueError:
            return None

    return read
