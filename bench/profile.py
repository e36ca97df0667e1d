"""How good the picture of a user is: labelled observations through the whole path.

    python -m bench.profile [--cases FILE.jsonl] [--only TEXT] [--ablate] [--show] [--write]

Each case is what an agent observed of one user, in its order, and what should be known at the end.
The observations go over the bus; the configured chat model works them in (without a key the rules
on this machine), and the configured embedder makes the vectors. Without a key the figures say what
the rules do with sentences of ours, and nothing of what a model does.

A truth counts where its words, or those of one of its `or`, stand in the profile; what is gone must
stand nowhere: not in the narrative, the profile, the learned items or the documents. A fact that a
query is about and that was lost counts as not found. Drift is the share of the keys of a profile
that a run takes away or names otherwise. What is worked in is worked in by fours, in the variant
"each observation at once" one by one.

`--ablate` runs the cases under every variant of an agent's settings, side by side.
"""

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
os.environ.setdefault("RECOLLECT_LOG_LEVEL", "ERROR")
django.setup()

from django.conf import settings
from django.core.management import call_command
from tqdm import tqdm

from accounts.agents import create_agent
from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from accounts.setup import first_run
from bench.figures import Table
from consolidation.intake.accept import accept_events
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.observations.record import observe
from consolidation.profile.request import request_synthesis
from extraction.contracts.narrative_judge import judging
from knowledge.models import ContextDocument, LearnedInfo, Scaffold, UserNarrative
from knowledge.profile.pointers import leaves
from memory.messages import draft_of
from memory.sessions import open_session
from providers.chat import Line
from providers.registry import chat_model, embedder
from ranking.tokens import fold
from recall.prompt.assembly import assemble_context
from recall.search.context import retrieve

CASES = Path(__file__).parent / "profile_cases" / "cases.jsonl"
JOB_ROUNDS = 200
TOP = 5
# A profile is useful when it holds this share of what will be known in the end.
USEFUL = 0.6
# The settings of an agent that each variant differs by.
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "no memory": {"tiers": "none", "retrieves": False},
    "narrative alone": {"tiers": "narrative", "retrieves": False},
    "without retrieval": {"retrieves": False},
    "all tiers": {},
    "fixed scaffold": {"scaffold_keys": ["Role", "Projects", "Preferences"]},
    "each observation at once": {"synthesises_at_once": True},
}
# How many observations wait on the bus before they are worked in.
BATCH = 4


USUAL: Mapping[str, Mapping[str, object]] = {"all tiers": {}}


def variants_of(usual: str, other: str) -> Mapping[str, Mapping[str, object]]:
    """Return the variants; several models only where another one is named: one is no variant."""
    if not other or other == usual:
        return VARIANTS
    return {**VARIANTS, "a model for each part": {"synthesis_models": {"narrative": other}}}


@dataclass(frozen=True, slots=True)
class Case:
    """What was observed, and what should be known afterwards."""

    id: str
    observations: Sequence[Mapping[str, str]]
    truth: Sequence[Mapping[str, str | Sequence[str]]]
    gone: Sequence[str] = ()
    narrative: Sequence[str] = ()
    stale: Sequence[str] = ()
    queries: Sequence[Mapping[str, str | Sequence[str]]] = ()


@dataclass(slots=True)
class Score:
    """Sums over cases, each with how many it is of."""

    sums: dict[str, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(self, name: str, value: float) -> None:
        self.sums.setdefault(name, []).append(value)

    def mean(self, name: str) -> float:
        found = self.sums.get(name, [])
        return sum(found) / len(found) if found else math.nan


def read(path: Path) -> list[Case]:
    rows = path.read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(row)) for row in rows if row.strip()]


def play(agent: Agent, case: Case, score: Score) -> Owner:
    """Observe one thing after the other, have them worked in, and look when it is useful."""
    owner = resolve_owner(agent=agent, user=case.id)
    useful_after, keys = math.inf, set[str]()
    batch = 1 if agent.synthesises_at_once else BATCH
    for number, one in enumerate(case.observations, start=1):
        observe(owner=owner, event_type=one["type"], content=one["content"], source=one["source"])
        if number % batch and number < len(case.observations):
            continue
        _work(owner)
        keys = _measure_keys(owner, keys, score)
        if useful_after == math.inf and _accuracy(case, owner) >= USEFUL:
            useful_after = number
    score.add("profile: keys at the end", len(keys))
    if useful_after < math.inf:
        score.add("observations to a useful profile", useful_after)
    return owner


def _measure_keys(owner: Owner, before: set[str], score: Score) -> set[str]:
    """Add how many keys came and went in a run; return those that are there."""
    row = Scaffold.objects.filter(owner=owner).first()
    keys = set(leaves(row.data)) if row else set()
    score.add("profile: new keys in a run", len(keys - before))
    if before:
        score.add("profile: drift of keys", len(before - keys) / len(before))
    return keys


def judge(case: Case, owner: Owner, score: Score) -> None:
    """Compare the picture with what should be in it."""
    known, narrative = _known(owner), _narrative(owner)
    missed = [str(one["says"]) for one in case.truth if not _is_said(one, known)]
    whole = fold(" ".join((known, narrative, *_documents(owner))))
    stale = [text for text in case.gone if fold(text) in whole]
    score.add("profile: truths known", 1 - len(missed) / len(case.truth))
    if case.gone:
        score.add("all parts: corrected ones still said", len(stale) / len(case.gone))
    if case.narrative:
        said = [text for text in case.narrative if fold(text) in fold(narrative)]
        score.add("narrative: says what it must", len(said) / len(case.narrative))
    score.add("narrative: words", len(narrative.split()))
    _judge_narrative(case, narrative, score)
    for query in case.queries:
        _judge_retrieval(owner, query, score)
        _judge_prompt(owner, query, score)
    if missed or stale:
        score.faults.append(f"{case.id}: missed {missed}, still said {stale}")


def _judge_narrative(case: Case, narrative: str, score: Score) -> None:
    lines = [Line(str(n), "user", one["content"]) for n, one in enumerate(case.observations)]
    marks = chat_model().complete(judging(narrative, lines)).value
    for name in ("completeness", "conciseness", "recency"):
        score.add(f"narrative: {name} (1 to 5)", getattr(marks, name))


def _judge_retrieval(owner: Owner, query: Mapping[str, str | Sequence[str]], score: Score) -> None:
    """Add P@5, recall and NDCG@5. Of the relevant facts of a query, those that were lost count too."""
    total = len(query["relevant"])
    found = retrieve(owner=owner, query=str(query["ask"]), active_connections=None, limit=TOP)
    gains = [_is_relevant(hit.content, query) for hit in found.hits]
    texts = " ".join(fold(hit.content) for hit in found.hits)
    recalled = sum(fold(part) in texts for part in query["relevant"])
    score.add("retrieval: P@5", sum(gains) / TOP)
    score.add("retrieval: recall@5, lost facts counted", recalled / total)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(max(total, sum(gains)), TOP)))
    real = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))
    score.add("retrieval: NDCG@5, lost facts counted", real / ideal)


def _judge_prompt(owner: Owner, query: Mapping[str, str | Sequence[str]], score: Score) -> None:
    """Ask in a new session, and look whether the prompt holds the answer."""
    ask = str(query["ask"])
    session = open_session(agent=owner.agent, user=owner.key).session
    drafts = [draft_of({"role": "user", "content": ask})]
    accept_events(agent=owner.agent, session=session, drafts=drafts)
    prompt = assemble_context(session=session)
    text = fold(" ".join(str(one["content"]) for one in prompt.messages).replace(ask, ""))
    score.add("prompt: holds the answer", any(fold(part) in text for part in query["relevant"]))
    score.add("prompt: tokens", prompt.tokens)


def _is_relevant(text: str, query: Mapping[str, str | Sequence[str]]) -> bool:
    return any(fold(part) in fold(text) for part in query["relevant"])


def _accuracy(case: Case, owner: Owner) -> float:
    known = _known(owner)
    return sum(_is_said(one, known) for one in case.truth) / len(case.truth)


def _is_said(truth: Mapping[str, str | Sequence[str]], known: str) -> bool:
    """Return whether any of the ways to say a truth stands in what is known."""
    ways = (str(truth["says"]), *truth.get("or", ()))
    return any(fold(way) in known for way in ways)


def _documents(owner: Owner) -> Iterable[str]:
    return ContextDocument.objects.filter(owner=owner).values_list("content", flat=True)


def _known(owner: Owner) -> str:
    """Return the scaffold and what was learned besides, as one folded text."""
    scaffold = Scaffold.objects.filter(owner=owner).first()
    learned = LearnedInfo.objects.filter(owner=owner).first()
    parts = (scaffold.data if scaffold else {}, learned.items if learned else [])
    return fold(json.dumps(parts, ensure_ascii=False))


def _narrative(owner: Owner) -> str:
    found = UserNarrative.objects.filter(owner=owner).first()
    return found.text if found else ""


def _work(owner: Owner) -> None:
    request_synthesis(owner.pk)
    for _ in range(JOB_ROUNDS):
        due = queue.take(100)
        for job in due:
            run_job(job)
        if not due:
            return


def run(cases: Sequence[Case], name: str, fields: Mapping[str, object]) -> Score:
    """Play all cases with an agent of its own."""
    organization = Agent.objects.order_by("created_at")[0].organization
    agent = create_agent(
        organization=organization,
        slug=f"bench_{name.replace(' ', '_')}",
        actor="bench",
        fields={"learning_policy": "counselling", **fields},
    )
    score = Score()
    for case in tqdm(cases, unit="case", desc=name, disable=None):
        judge(case, play(agent, case, score), score)
    return score


def table(scores: Mapping[str, Score]) -> Iterable[str]:
    names = list(dict.fromkeys(name for score in scores.values() for name in score.sums))
    yield f"| figure | {' | '.join(scores)} |"
    yield "|---" * (len(scores) + 1) + "|"
    for name in names:
        values = (f"{score.mean(name):.2f}" for score in scores.values())
        yield f"| {name} | {' | '.join(values)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--only", default="", help="cases whose id has this in it")
    parser.add_argument("--ablate", action="store_true", help="run every variant")
    parser.add_argument("--other", default="", help="another model, to have the narrative told by")
    parser.add_argument("--show", action="store_true", help="name each case that went wrong")
    parser.add_argument("--write", action="store_true", help="write the table of docs/figures.md")
    asked = parser.parse_args()
    if asked.write and (asked.only or asked.cases != CASES or not asked.ablate):
        parser.error("--write needs --ablate and every case of ours")
    figures = Table("profile") if asked.write else None
    call_command("migrate", verbosity=0)
    first_run()
    cases = [case for case in read(asked.cases) if asked.only in case.id]
    variants = variants_of(settings.SYNTHESIS_MODEL, asked.other) if asked.ablate else USUAL
    scores = {name: run(cases, name, fields) for name, fields in variants.items()}
    write = sys.stdout.write
    write(f"{len(cases)} cases; chat model {chat_model().name}, embedder {embedder().name}\n")
    rows = "\n".join(table(scores))
    write(f"{rows}\n")
    if figures:
        figures.write(rows)
    for score in scores.values() if asked.show else []:
        write("\n".join(score.faults) + "\n")


if __name__ == "__main__":
    main()
