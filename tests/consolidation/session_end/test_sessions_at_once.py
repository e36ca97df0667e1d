"""Several threads append, fold, look and end at the same time; nothing is lost, doubled or torn."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from django.db import connection

from audit import failpoint
from consolidation.compaction.request import request_compaction
from consolidation.intake.accept import end_session
from consolidation.intake.closing import end_open_sessions, stop_agent
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.session_end.snapshots import beat_session
from memory.errors import NoSnapshot, SessionClosed
from memory.messages import Draft, call_ids
from memory.models import Event, Session
from memory.snapshots import restore_lanes
from providers.registry import CHAT_MODELS, chat_model
from recall.prompt.assembly import assemble_context
from tests.consolidation.scripted_chat import ScriptedChat
from tests.consolidation.world import LANES, Tracked, World
from tests.factories import make_agent

WRITERS, WORKERS = 4, 2
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(tmp_path, monkeypatch, settings):
    settings.DATA_DIR = tmp_path
    settings.CHAT = "scripted"
    chat = ScriptedChat()
    monkeypatch.setitem(CHAT_MODELS, "scripted", lambda: chat)
    monkeypatch.setattr(failpoint, "FOLDER", None)
    chat_model.cache_clear()
    failpoints = tmp_path / "failpoints"
    failpoints.mkdir()
    yield World(make_agent("cook", window_events=8, mid_term_sessions=2), chat, failpoints)
    chat_model.cache_clear()


def threaded(work: Callable[[], None], failures: list[BaseException]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - shown by the test
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def fresh(tracked: Tracked) -> Session:
    return Session.objects.select_related("owner__agent__organization").get(pk=tracked.session.pk)


def write(world: World, tracked: Tracked, appends: int, told: list) -> None:
    """Append turns to both lanes until the session is over; note what was acknowledged."""
    chance = random.Random(threading.get_ident())
    with suppress(SessionClosed):
        for _ in range(appends):
            lane = chance.choice(LANES)
            drafts = [world.draft("UserMsg", lane), world.draft("ModelOutput", lane, calls=1)]
            (call,) = call_ids(drafts[1].payload)
            drafts.append(world.draft("ToolResultCommitted", lane, call))
            stored, _ = world.accept(tracked, drafts)
            told += zip(stored, drafts, strict=True)


def disturb(tracked: Tracked, is_over: threading.Event) -> None:
    """Ask for folds, take snapshots, go back to them and build prompts."""
    chance = random.Random(threading.get_ident())
    acts = [
        lambda lane: request_compaction(session=fresh(tracked), lane=lane, trigger="api"),
        lambda lane: beat_session(session=fresh(tracked)),
        lambda lane: assemble_context(session=fresh(tracked), lane=lane),
        lambda lane: restore_lanes(session=fresh(tracked)),
    ]
    while not is_over.is_set():
        with suppress(SessionClosed, NoSnapshot):
            chance.choice(acts)(chance.choice(LANES))
        time.sleep(0.005)


def work(is_over: threading.Event) -> None:
    while not is_over.is_set():
        for job in queue.take(2):
            run_job(job)
        time.sleep(0.005)


def end_at_once(tracked: Tracked, failures: list[BaseException]) -> list[bool]:
    """End a session by four paths in the same instant; return what each said about it."""
    barrier = threading.Barrier(4)
    said: list[bool] = []
    paths: list[Callable[[], int]] = [
        lambda: end_session(session=tracked.session, reason="explicit"),
        lambda: end_session(session=tracked.session, reason="web"),
        lambda: stop_agent(agent=tracked.session.owner.agent, actor="test"),
        end_open_sessions,
    ]

    def go(path: Callable[[], int]) -> None:
        barrier.wait()
        said.append(bool(path()))

    threads = [threaded(partial(go, path), failures) for path in paths]
    for thread in threads:
        thread.join()
    return said


def live(world: World, strategy: str, appends: int) -> None:
    """Let one session be written, folded, restored and ended by all at once, and check it."""
    world.open(strategy, f"{strategy}-{len(world.sessions)}")
    tracked, is_over = world.sessions[-1], threading.Event()
    failures: list[BaseException] = []
    told: list[tuple[Event, Draft]] = []
    helpers = [threaded(lambda: disturb(tracked, is_over), failures)]
    helpers += [threaded(lambda: work(is_over), failures) for _ in range(WORKERS)]
    writers = [
        threaded(lambda: write(world, tracked, appends, told), failures) for _ in range(WRITERS)
    ]
    while len(told) < 3 * appends * WRITERS // 2 and any(one.is_alive() for one in writers):
        time.sleep(0.01)
    said = end_at_once(tracked, failures)
    for writer in writers:
        writer.join()
    is_over.set()
    for helper in helpers:
        helper.join()
    assert failures == []
    assert sum(said) == 1
    tracked.is_open = False
    for event, draft in sorted(told, key=lambda pair: pair[0].seq):
        tracked.lanes[event.lane].events.append(draft)


def run(world: World, rounds: int, appends: int) -> None:
    # The first session has a thread of its own and nothing to say.
    end_open_sessions()
    for _ in range(rounds):
        for strategy in Session.Strategy.values:
            live(world, strategy, appends)
    world.follow_windows()
    world.settle()
    world.check()
    world.check_ended()


@pytest.mark.requirement("XX-02")
@pytest.mark.requirement("XX-05")
def test_all_at_once_keeps_everything(world):
    run(world, rounds=1, appends=10)


@pytest.mark.full
@pytest.mark.timeout(3_600)
def test_all_at_once_again_and_again_keeps_everything(world):
    run(world, rounds=10, appends=40)
