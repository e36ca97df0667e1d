"""The charts of the dashboard: one aggregated statement each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Aggregate, Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from accounts.models import Owner
from audit.models import CostEntry
from consolidation.models import Candidate, DailyMeasure
from inspector.console.asked import DateRange
from inspector.console.meanings import ACTIONS
from inspector.drawing import Chart, Series, bars, lines
from knowledge.models.profile import Contradiction
from memory.models import Event, Session
from recall.models import Receipt

MICRO = 1e6
MOST_REASONS = 12
Counts = Iterable[tuple[date, float]]


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """How many candidates of a day had one verdict; `again`: how many of them came to nothing."""

    action: str
    code: str
    day: date
    count: int
    again: int


def tallies(asked: DateRange) -> list[VerdictCount]:
    """Count the gate's verdicts, for the charts and for their reasons: in one statement."""
    found = Candidate.objects.filter(
        asked.of("session__owner__agent"),
        created_at__gte=asked.begins,
        created_at__lt=asked.ends,
    )
    rows = found.annotate(day=TruncDate("created_at")).values_list("action", "code", "day")
    counted = rows.annotate(
        n=Count("pk"),
        again=Count("pk", filter=Q(state="skipped") | Q(code__startswith="skip.")),
    )
    return [VerdictCount(*row) for row in counted.order_by()]


def charts_of(asked: DateRange, tallied: Sequence[VerdictCount]) -> list[Chart]:
    """Return the charts of some days, in the order of the page."""
    return [
        *growth(asked),
        latency(asked),
        cost(asked),
        *verdicts(asked, tallied),
        contradictions(asked),
        *measures(asked),
    ]


def growth(asked: DateRange) -> list[Chart]:
    mine, (first, end) = asked.of("owner__agent"), asked.ids
    span = Q(pk__gte=first, pk__lt=end)
    return [
        _counted(
            asked,
            "events",
            "Events",
            "Events stored per day.",
            Event.objects.filter(mine, span),
            "committed_at",
        ),
        _counted(
            asked,
            "sessions",
            "Sessions",
            "Sessions opened per day.",
            Session.objects.filter(mine, span),
            "opened_at",
        ),
        _counted(
            asked,
            "owners",
            "New owners",
            "People, threads and agents first met that day.",
            Owner.objects.filter(
                agent__in=asked.agents, created_at__gte=asked.begins, created_at__lt=asked.ends
            ),
            "created_at",
        ),
    ]


class Percentile(Aggregate):
    """PostgreSQL's percentile_cont: the value below which a share of the rows lies."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) within group (order by %(expressions)s)"


def latency(asked: DateRange) -> Chart:
    """Draw how long those who asked for memory waited, half of them and the slowest twentieth."""
    first, end = asked.ids
    found = Receipt.objects.filter(asked.of("owner__agent"), pk__gte=first, pk__lt=end)
    by_day = found.exclude(took_ms=None).annotate(on=TruncDate("created_at")).order_by()
    rows = by_day.values_list("on").annotate(
        half=Percentile("took_ms", share=0.5), most=Percentile("took_ms", share=0.95)
    )
    by: dict[str, dict[date, float]] = {"p50": {}, "p95": {}}
    for day, half, most in rows:
        by["p50"][day], by["p95"][day] = half, most
    about = (
        "How long recalls and prompts took per day: half of them at most, and all but a twentieth."
    )
    series = _series(asked, by, absent=None)
    return lines("latency", "Recall latency", about, _labels(asked), series, "milliseconds")


def cost(asked: DateRange) -> Chart:
    """Draw what models cost by purpose, as the ledger has it."""
    found = CostEntry.objects.filter(agent__in=asked.agents, day__range=(asked.first, asked.last))
    rows = found.values_list("purpose", "day").annotate(cost=Sum("micro_usd")).order_by("purpose")
    by: dict[str, dict[date, float]] = defaultdict(dict)
    for purpose, day, micro_usd in rows:
        by[purpose][day] = float(micro_usd) / MICRO
    about = "What calls of models cost per day, by purpose."
    return bars(
        "cost", "Cost", about, _labels(asked), _series(asked, by) or _none(asked), "dollars"
    )


def reasons(tallied: Sequence[VerdictCount]) -> list[tuple[str, int]]:
    """Return the codes of the verdicts with their numbers, the most frequent first."""
    counts = Counter[str]()
    for one in tallied:
        counts[one.code] += one.count
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_REASONS]


def verdicts(asked: DateRange, tallied: Sequence[VerdictCount]) -> list[Chart]:
    """Draw the gate's verdicts, and which share of candidates came to nothing."""
    by: dict[str, dict[date, float]] = {action: defaultdict(float) for action in ACTIONS}
    again: dict[date, float] = defaultdict(float)
    for one in tallied:
        by[one.action][one.day] += one.count
        again[one.day] += one.again
    whole = {day: sum(of.get(day, 0) for of in by.values()) for day in asked.days}
    junk = {day: by["drop"].get(day, 0) / all_ for day, all_ in whole.items() if all_}
    twice = {day: again[day] / all_ for day, all_ in whole.items() if all_}
    named = {ACTIONS[action]: counts for action, counts in by.items()}
    return [
        bars(
            "verdicts",
            "Verdicts",
            "Candidates per day, by the gate's verdict.",
            _labels(asked),
            _series(asked, named),
        ),
        lines(
            "junk",
            "Junk and duplicates",
            "Share of candidates that were dropped, or let go "
            "at the session's end as unsupported or known.",
            _labels(asked),
            _series(asked, {"dropped": junk, "let go": twice}, absent=None),
        ),
    ]


def contradictions(asked: DateRange) -> Chart:
    found = Contradiction.objects.filter(owner__agent__in=asked.agents)
    found = found.filter(created_at__gte=asked.begins, created_at__lt=asked.ends)
    about = "Pairs of observations that cannot both hold, per day."
    return _counted(asked, "contradictions", "Contradictions", about, found, "created_at")


def measures(asked: DateRange) -> list[Chart]:
    """Draw the measures that a job takes each day: quotients, summed over owners."""
    found = DailyMeasure.objects.filter(
        owner__agent__in=asked.agents, day__range=(asked.first, asked.last)
    )
    rows = found.values_list("name", "day").annotate(part=Sum("part"), whole=Sum("whole"))
    by: dict[str, dict[date, float]] = defaultdict(dict)
    for name, day, part, whole in rows:
        if whole:
            by[name][day] = part / whole
    return [
        lines(
            name.value,
            name.value.replace("_", " ").capitalize(),
            f"{name.label.capitalize()}.",
            _labels(asked),
            _series(asked, {"all": by[name.value]}, absent=None),
        )
        for name in DailyMeasure.Name
    ]


def _counted(
    asked: DateRange, key: str, title: str, about: str, found: QuerySet, field: str
) -> Chart:
    rows = found.annotate(on=TruncDate(F(field))).order_by().values_list("on")
    counts: Counts = rows.annotate(n=Count("pk"))
    return bars(key, title, about, _labels(asked), _series(asked, {"all": dict(counts)}))


def _series(
    asked: DateRange, by: dict[str, dict[date, float]], absent: float | None = 0.0
) -> list[Series]:
    return [
        Series(name, [values.get(day, absent) for day in asked.days]) for name, values in by.items()
    ]


def _none(asked: DateRange) -> Sequence[Series]:
    return [Series("all", [0.0] * len(asked.days))]


def _labels(asked: DateRange) -> list[str]:
    return [f"{day:%-d %b}" for day in asked.days]
