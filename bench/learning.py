"""How well the gate learns: labelled dialogues through the whole path.

    python -m bench.learning [--cases FILE.jsonl] [--only TEXT] [--show] [--write]

Each case is a conversation, or several of one user, sent turn by turn with the jobs done between
them. What is kept at the end is compared with what the case says should be. The chat model is the
configured one: without a key the rules on this machine.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
os.environ.setdefault("RECOLLECT_EMBEDDER", "hashing")
os.environ.setdefault("RECOLLECT_LOG_LEVEL", "ERROR")
django.setup()

from django.core.management import call_command
from tqdm import tqdm

from accounts.agents import configure_agent
from accounts.models import Agent, Owner
from accounts.setup import first_run
from bench.figures import Table
from consolidation.intake.accept import accept_events, end_session
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from knowledge.models import Fact, Rule
from memory.messages import draft_of
from memory.sessions import open_session
from providers.registry import chat_model

CASES = Path(__file__).parent / "learning_cases" / "cases.jsonl"
JOB_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """What is said, and what should be known afterwards."""

    id: str
    lang: str
    shows: str
    sessions: Sequence[Sequence[Sequence[str]]]
    facts: Sequence[dict[str, str]] = ()
    rules: Sequence[str] = ()
    retired: Sequence[str] = ()
    absent: Sequence[str] = ()


@dataclass(slots=True)
class Score:
    """Counts over cases; `faults` say in words what went wrong where."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, name: str, count: int = 1) -> None:
        self.counts[name] += count

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0


def read(path: Path) -> list[Case]:
    rows = path.read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(row)) for row in rows if row.strip()]


def play(agent: Agent, case: Case) -> Owner:
    """Send a case's conversations as an agent would, and let the jobs do their work."""
    for number, turns in enumerate(case.sessions):
        name = f"{case.id}-{number}"
        session = open_session(agent=agent, user=case.id, external_id=name).session
        for user, assistant in turns:
            for role, text in (("user", user), ("assistant", assistant)):
                draft = draft_of({"role": role, "content": text})
                accept_events(agent=agent, session=session, drafts=[draft])
            _work()
        end_session(session=session, reason="explicit")
        _work()
    return session.owner


def judge(case: Case, owner: Owner, score: Score) -> None:
    """Compare what is kept with what should be."""
    facts = list(Fact.objects.filter(owner=owner).active())
    rules = list(Rule.objects.filter(owner=owner).active())
    found = [any(_is(fact, wanted) for wanted in case.facts) for fact in facts]
    score.add("facts kept", len(facts))
    score.add("facts right", sum(found))
    score.add("facts wanted", len(case.facts))
    met = [any(_is(fact, wanted) for fact in facts) for wanted in case.facts]
    score.add("facts met", sum(met))
    good = [any(text.casefold() in rule.text.casefold() for text in case.rules) for rule in rules]
    score.add("rules kept", len(rules))
    score.add("rules right", sum(good))
    score.add("rules wanted", len(case.rules))
    kept = [any(text.casefold() in rule.text.casefold() for rule in rules) for text in case.rules]
    score.add("rules met", sum(kept))
    score.add("duplicates", len(facts) - len({(f.category, f.object.casefold()) for f in facts}))
    _judge_retired(case, owner, score)
    leaked = [text for text in case.absent if any(_holds(fact, text) for fact in facts)]
    score.add("kept what must not be", len(leaked))
    wrong = [
        f"{fact.category} {fact.object}"
        for fact, is_right in zip(facts, found, strict=True)
        if not is_right
    ]
    wrong += [rule.text for rule, is_right in zip(rules, good, strict=True) if not is_right]
    missed = [wanted["says"] for wanted, is_met in zip(case.facts, met, strict=True) if not is_met]
    missed += [text for text, is_kept in zip(case.rules, kept, strict=True) if not is_kept]
    if wrong or missed or leaked:
        score.faults.append(f"{case.id} ({case.shows}): wrong {wrong}, missed {missed}")


def _judge_retired(case: Case, owner: Owner, score: Score) -> None:
    retired = list(Fact.objects.filter(owner=owner).exclude(superseded_by=""))
    right = [fact for fact in retired if any(_holds(fact, text) for text in case.retired)]
    score.faults += [
        f"{case.id} ({case.shows}): wrongly retired {fact.category} {fact.object}"
        for fact in retired
        if fact not in right
    ]
    score.add("retired", len(retired))
    score.add("wrongly retired", len(retired) - len(right))
    score.add("to retire", len(case.retired))
    score.add("retired rightly", len(right))


def _is(fact: Fact, wanted: dict[str, str]) -> bool:
    return fact.category == wanted["category"] and _holds(fact, wanted["says"])


def _holds(fact: Fact, text: str) -> bool:
    return text.casefold() in f"{fact.object}\n{fact.evidence_quote}".casefold()


def _work() -> None:
    for _ in range(JOB_ROUNDS):
        due = queue.take(100)
        for job in due:
            run_job(job)
        if not due:
            return


def report(score: Score) -> Iterable[str]:
    rows = (
        ("facts: precision", f"{score.share('facts right', 'facts kept'):.3f}"),
        ("facts: recall", f"{score.share('facts met', 'facts wanted'):.3f}"),
        ("rules: precision", f"{score.share('rules right', 'rules kept'):.3f}"),
        ("rules: recall", f"{score.share('rules met', 'rules wanted'):.3f}"),
        ("junk: kept and not wanted", score.counts["facts kept"] - score.counts["facts right"]),
        ("kept what must not be", score.counts["kept what must not be"]),
        ("duplicates", score.counts["duplicates"]),
        (
            "corrections: superseded",
            f"{score.counts['retired rightly']} of {score.counts['to retire']}",
        ),
        ("wrong supersessions", score.counts["wrongly retired"]),
    )
    return (f"| {name} | {value} |" for name, value in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--only", default="", help="cases whose id or language has this in it")
    parser.add_argument("--show", action="store_true", help="name each case that went wrong")
    parser.add_argument("--write", action="store_true", help="write the table of docs/figures.md")
    asked = parser.parse_args()
    if asked.write and (asked.only or asked.cases != CASES):
        parser.error("--write needs every case of ours")
    table = Table("learning") if asked.write else None
    call_command("migrate", verbosity=0)
    first_run()
    agent = Agent.objects.order_by("created_at")[0]
    configure_agent(agent=agent, actor="bench", fields={"learning_policy": "counselling"})
    cases = [case for case in read(asked.cases) if asked.only in f"{case.id} {case.lang}"]
    score = Score()
    for case in tqdm(cases, unit="case", disable=None):
        judge(case, play(agent, case), score)
    write = sys.stdout.write
    languages = ", ".join(sorted({case.lang for case in cases}))
    write(f"{len(cases)} cases in {languages}; chat model {chat_model().name}\n")
    model = {"offline": "rules on this machine"}.get(chat_model().name, chat_model().model)
    rows = "\n".join([f"| figure | {model} |", "|---|---|", *report(score)])
    write(f"{rows}\n")
    if table:
        table.write(rows)
    for fault in score.faults if asked.show else []:
        write(f"{fault}\n")


if __name__ == "__main__":
    main()
