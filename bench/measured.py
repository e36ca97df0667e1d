"""What docs/figures.md shows: each table with what measures it, and the code that decides it."""

from collections.abc import Sequence
from dataclasses import dataclass

# What becomes of a conversation that is imported, and how it is found then.
FILLING = (
    *("ranking/*.py", "memory/chunking.py", "memory/indexing.py", "memory/postings.py"),
    *(
        "memory/tiers.py",
        "memory/vectors.py",
        "consolidation/embedding/fill.py",
        "providers/local.py",
    ),
)
FINDING = (
    *FILLING,
    *(
        "ranking/periods/**/*.py",
        "recall/answers/answer.py",
        "recall/search/phrases.py",
        "recall/search/ranking_profiles.py",
    ),
    *(
        "recall/search/hits.py",
        "recall/search/questions/*.py",
        "recall/search/messages/*.py",
        "bench/dialogues.py",
        "bench/recall.py",
    ),
)
FOLDING = (
    *("consolidation/compaction/**/*.py", "extraction/rules/model.py", "recall/prompt/assembly.py"),
    *("memory/budget.py", "memory/deltas.py", "memory/summaries.py", "memory/windows.py"),
    *("recall/prompt/window.py", "recall/prompt/view.py", "bench/compaction.py"),
)
LEARNING = (
    *(
        "consolidation/learning/gate/**/*.py",
        "consolidation/learning/*.py",
        "consolidation/session_end/evidence/buffer.py",
    ),
    *(
        "consolidation/session_end/evidence/clusters.py",
        "consolidation/session_end/promote.py",
        "consolidation/session_end/tiers.py",
    ),
    *(
        "consolidation/session_end/evidence/support.py",
        "knowledge/saved_facts/save.py",
        "knowledge/items/rows.py",
    ),
    *("extraction/rules/cues.py", "extraction/rules/life_cues.py", "extraction/rules/model.py"),
    *("extraction/rules/learning.py", "providers/quoting.py", "extraction/rules/rule_cues.py"),
    *("extraction/rules/sentences.py", "bench/learning.py", "bench/learning_cases/*"),
)
PICTURE = (
    *(
        "consolidation/observations/record.py",
        "consolidation/profile/**/*.py",
        "providers/local.py",
    ),
    *(
        "extraction/contracts/narrative_judge.py",
        "extraction/contracts/profile.py",
        "extraction/rules/profile.py",
        "extraction/rules/profile_cues.py",
    ),
    *(
        "recall/prompt/assembly.py",
        "recall/search/context.py",
        "recall/prompt/sources/profile.py",
        "recall/prompt/blocks/profile.py",
    ),
    *("bench/profile.py", "bench/profile_cases/*"),
)
SPEED = (
    *(
        "api/v1/events.py",
        "api/v1/recall.py",
        "consolidation/jobs/broker.py",
        "consolidation/intake/accept.py",
    ),
    *(
        "consolidation/jobs/queue.py",
        "memory/append_sql.py",
        "memory/events.py",
        "memory/hashing.py",
    ),
    *(
        "recall/answers/answer.py",
        "recall/prompt/assembly.py",
        "recall/receipts/write.py",
        "recall/search/messages/search.py",
    ),
    *(
        "recall/search/messages/clauses.py",
        "recall/search/messages/statement.py",
        "bench/context.py",
        "bench/injection.py",
        "bench/jobs.py",
    ),
    *("bench/reading.py", "bench/speed.py", "bench/store.py", "bench/writing.py"),
)
PAGES = (
    *("accounts/parts.py", "inspector/paging.py", "inspector/pages.py", "inspector/overview.py"),
    *(
        "inspector/console/dashboard.py",
        "inspector/console/learned.py",
        "inspector/console/jobs.py",
    ),
    *("inspector/person/pages.py", "inspector/person/reading.py", "inspector/person/finding.py"),
    *("inspector/picture/times.py", "inspector/why/sessions.py", "inspector/why/receipts.py"),
    *("inspector/why/prompts.py", "bench/many.py", "bench/pages.py"),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A table: how it is measured again, and patterns of the files whose code decides it."""

    name: str
    command: str
    code: Sequence[str]


ALL = (
    Figure("recall", "make bench-recall ARGS=--write", FINDING),
    Figure("recall-quick", 'make bench-recall ARGS="--quick --write"', FINDING),
    Figure(
        "recall-states",
        'make bench-recall ARGS="--states --write"',
        (*FINDING, "bench/states.py"),
    ),
    Figure("old-passages", "make bench-signs ARGS=--write", ("bench/signs.py",)),
    Figure("compaction", "make bench-compaction ARGS=--write", FOLDING),
    Figure("learning", "make bench-learning ARGS=--write", LEARNING),
    Figure("profile", 'make bench-profile ARGS="--ablate --write"', PICTURE),
    Figure("speed", "make bench ARGS=--write", SPEED),
    Figure("pages", "make bench-pages ARGS=--write", PAGES),
    Figure(
        "tokens",
        "make bench-tokens ARGS=--write",
        ("memory/budget.py", "memory/tokenizer.py", "bench/tokens.py"),
    ),
)
FIGURES = {figure.name: figure for figure in ALL}
# Tables from before there were stamps, and one that is new, not measured since. It may only get
# shorter.
OLDER = frozenset(
    {
        *("recall", "recall-states", "old-passages", "speed"),
        *("pages", "pages-before", "tokens-tiktoken"),
    }
)
