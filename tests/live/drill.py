"""What the drill does inside an installation: a program of its own, run as `python -m tests.live.drill ACT`."""

import json
import sys
from datetime import timedelta
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from accounts.models import Agent, Owner  # noqa: E402
from audit.backups import is_restoring  # noqa: E402
from consolidation.deletion.erasure.job import advance  # noqa: E402
from consolidation.deletion.erasure.request import erase_owner  # noqa: E402
from consolidation.deletion.forget import forget  # noqa: E402
from consolidation.deletion.trace import Target  # noqa: E402
from consolidation.deletion.undo import take_back_forgetting  # noqa: E402
from consolidation.intake.accept import accept_events, end_session  # noqa: E402
from knowledge.models import Fact, Forgetting, Tombstone  # noqa: E402
from knowledge.workspace.folder import folder_of  # noqa: E402
from memory.models import Chunk, Event, Session  # noqa: E402
from recall.search.messages.search import search  # noqa: E402
from tests.consolidation.deletion.deleted import delete, fill, left, targets  # noqa: E402
from tests.factories import make_session, run_jobs, said  # noqa: E402

TALKS = {
    "alice": ("My cat is called Minka.", "My sister is called Ana.", "I live in Lisbon."),
    "bob": ("My cat is called Zanzibar.",),
}


def remember(archive: str) -> None:
    """Make memory, back it up, and forget some of it afterwards."""
    agent = Agent.objects.get(slug="assistant")
    for user, texts in TALKS.items():
        session = make_session(agent, user=user)
        for text in texts:
            accept_events(
                agent=agent, session=session, drafts=[said(text), said("Ah.", "assistant")]
            )
            run_jobs()
        end_session(session=session, reason="explicit")
        run_jobs()
        folder = folder_of(session.owner)
        folder.mkdir(parents=True)
        (folder / "MEMORY.md").write_text(f"{user} spoke.")
    call_command("backup", archive)
    alice, bob = owner("alice"), owner("bob")
    dropped(alice, "Minka", timedelta(0))
    act = dropped(alice, "Ana", timedelta(days=7))
    take_back_forgetting(owner=alice, act=act, actor="alice")
    erasure = erase_owner(owner=bob, actor="bob")
    while erasure.state == "running":
        erasure = advance(erasure)


def delete_every_kind(archive: str) -> None:
    """Make one of each kind of thing, back it up, and delete each afterwards."""
    # What the workers would learn of her session is not among what is deleted here.
    Agent.objects.update(learns=False)
    alice, own = fill(Agent.objects.get(slug="assistant"))
    known = targets(alice, own)
    call_command("backup", archive)
    delete(known)


def owner(user: str) -> Owner:
    return Owner.objects.get(key=user, kind=Owner.Kind.USER)


def dropped(alice: Owner, name: str, keep_for: timedelta):
    row = Fact.objects.get(owner=alice, object__contains=name)
    items = [Target("fact", row.pk, row.version)]
    return forget(owner=alice, items=items, actor="alice", keep_for=keep_for).act.pk


def tell() -> None:
    """Print what is known now."""
    alice = owner("alice")
    found = [hit.text for hit in search(owner=alice, query="cat sister Lisbon", limit=9).hits]
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from memory_event where payload::text ilike '%%zanzibar%%'")
        left = cursor.fetchone()[0]
    sys.stdout.write(
        json.dumps(
            {
                "facts": sorted(Fact.objects.values_list("object", flat=True)),
                "found": " ".join(found),
                "users": sorted(
                    one.split(":")[0] for one in Owner.objects.values_list("key", flat=True)
                ),
                "muted": Event.objects.exclude(muted_by=None).count(),
                "acts": sorted(map(str, Forgetting.objects.values_list("pk", flat=True))),
                "tombstones": sorted(
                    bytes(one).hex()
                    for one in Tombstone.objects.filter(owner=alice).values_list(
                        "digest", flat=True
                    )
                ),
                "counts": [model.objects.count() for model in (Session, Event, Chunk, Owner)],
                "of_bob": left + Chunk.objects.filter(text__icontains="zanzibar").count(),
                "files": sorted(
                    Path(one).read_text() for one in folder_of(alice).parent.glob("*/MEMORY.md")
                ),
                "is_restoring": is_restoring(),
            }
        )
    )


if __name__ == "__main__":
    if sys.argv[1] == "remember":
        remember(sys.argv[2])
    if sys.argv[1] == "delete":
        delete_every_kind(sys.argv[2])
    if sys.argv[1] in {"delete", "left"}:
        sys.stdout.write(json.dumps(sorted(left(owner("alice")))))
    else:
        tell()
