"""Faults for whoever reads a page: what happened and what to do, with the code in small print."""

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.errors import Fault

AGAIN = "Load the page again: it shows how things are now."
CHANGED = f"It has changed since you opened the page, and nothing was saved. {AGAIN}"
DECIDED = f"It was decided meanwhile, here or elsewhere. {AGAIN}"
UNFIT = (
    "What you wrote cannot be kept as it is: it is too long, is empty, or holds a sign that no "
    "text has. Nothing was changed. Shorten it, and save again."
)
ELSE = (
    "This could not be done, and nothing was changed. Load the page again and try once more; if "
    "it stays so, tell whoever keeps this server, with the words in small print."
)
WORDS: Mapping[str, str] = {
    "not_found": f"It is not there any more: it was forgotten, or has moved. {AGAIN}",
    "item_changed": CHANGED,
    "connection_changed": CHANGED,
    "document_changed": CHANGED,
    "entry_changed": CHANGED,
    "item_unfit": UNFIT,
    "content_unfit": UNFIT,
    "connection_unfit": UNFIT,
    "context_unfit": UNFIT,
    "document_unfit": UNFIT,
    "file_too_long": UNFIT,
    "invalid_name": "A note cannot have this name. Choose a short one, of letters, digits and spaces.",
    "already_exists": "Something else has this name already. Choose another one.",
    "connection_exists": "Another tool has this name already. Choose another one.",
    "archive_read_only": "This is the summary of an old conversation: it can be read, and not changed.",
    "change_not_waiting": DECIDED,
    "candidate_not_held": DECIDED,
    "context_forgotten": "You had just this text deleted for good, so it is not kept again. Say it in "
    "other words.",
    "changeset_final": "Something was deleted for good in it, or it was taken back already: it cannot "
    "be taken back.",
    "changeset_overtaken": "What it changed has changed again since, so nothing was taken back. Take "
    "the later change back first.",
    "forgetting_final": "It is too late: it was forgotten for good, or was taken back already. "
    "What is forgotten for good can only be learned anew.",
    "erasure_under_way": "All that is remembered here is just being erased. Nothing else can be done "
    "until that is over.",
    "profile_off": "The assistant keeps no picture of people any more, so nothing was saved.",
    "budget_too_small": "The assistant's own instructions take all its room: nothing of your memory "
    "fits beside them. Tell whoever keeps the assistant.",
    "import_unfit": "It is no file that was taken along from here, or not all of it. Take it along "
    "once more, and choose the file as it is: memory.zip or memory.json.",
    "import_too_large": "It is larger than a page may take. Ask whoever keeps this server to bring it "
    "in for you.",
    "import_of_another": "It is the memory of somebody else.",
    "import_not_ready": "It was taken in already, or has waited too long. Choose the file again if "
    "something is missing.",
    "workspace_unavailable": "The server's disk does not answer. Try again in a while.",
}


def in_words(fault: Fault) -> str:
    """Return what happened and what to do, for somebody who never heard of an API."""
    return WORDS.get(fault.code, ELSE)


def small_print(fault: Fault) -> str:
    """Return what helps those who are asked for help."""
    return f"{fault.code}: {fault}"


def tell_fault(request: HttpRequest, fault: Fault, before: str = "") -> None:
    """Leave the words for the next page; `before` says what was tried."""
    said = f"{before} {in_words(fault)}".strip()
    messages.error(request, said, extra_tags=small_print(fault))


def attempt(request: HttpRequest, act: Callable[[], object], done: str = "") -> None:
    """Do something whole or not at all, and leave word of how it went for the next page."""
    try:
        with transaction.atomic():
            act()
    except Fault as fault:
        tell_fault(request, fault)
    else:
        if done:
            messages.success(request, done)


def fault_page(request: HttpRequest, fault: Fault) -> HttpResponse:
    """Answer with a page what no view has foreseen."""
    words = {
        "heading": "This could not be done",
        "words": in_words(fault),
        "code": small_print(fault),
    }
    return render(request, "fault.html", words, status=fault.status)
