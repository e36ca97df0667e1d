"""Go over to another embedding model while searches go on."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from tqdm import tqdm

from accounts.credits import is_beyond_a_budget
from accounts.errors import Fault
from accounts.models import Agent
from accounts.owners import find_owner
from consolidation.embedding import reembed as reembedding
from consolidation.embedding.reembed import lack_of
from consolidation.intake.forecast import of_vectors
from knowledge.documents.context_vectors import lack_of_context
from knowledge.models import ContextDocument, KnowledgeEmbedding
from memory.models import Embedding, EmbeddingSpace
from memory.spaces import begin_space
from providers.base import Embedder
from providers.errors import ProviderFault
from providers.metered import MeteredEmbedder
from providers.registry import embedder_for, embedder_named, model_name
from recall.answers.comparison import ComparedQuestion, compare, lines, recent_questions

SAMPLED = 50
HALF_BYTES = 2
CONTEXT = ContextDocument.objects.filter(embedding_state="done")
ACTOR = "command"
State = EmbeddingSpace.State


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the arguments every act looks at."""

    model: str | None
    dimension: int | None
    background: bool
    dry_run: bool
    yes: bool


class Command(BaseCommand):
    help = (
        "Build the vectors of MODEL beside those in use; then compare, switch, go back or drop. "
        "Run again, it resumes; without arguments it lists the spaces."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--model", help="local, hashing, or the name of an endpoint's model")
        parser.add_argument("--dimension", type=int, help="of the endpoint's vectors")
        act = parser.add_mutually_exclusive_group()
        act.add_argument(
            "--compare",
            nargs="?",
            const=Path(),
            type=Path,
            metavar="FILE",
            help=f"ask FILE's lines, or the {SAMPLED} questions asked last, in both spaces",
        )
        for name, text in {
            "switch": "fill what is missing, then let searches use the new space",
            "rollback": "let searches use the space before",
            "drop": "delete the vectors of MODEL, or of every space that went out of use",
        }.items():
            act.add_argument(f"--{name}", dest="act", action="store_const", const=name, help=text)
        parser.add_argument("--background", action="store_true", help="let the workers build it")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--agent", default="assistant", help="of FILE's questions (assistant)")
        parser.add_argument("--user", default="sample", help="whose memory they ask (sample)")

    def handle(
        self,
        *,
        model: str | None,
        dimension: int | None,
        act: str | None,
        compare: Path | None,
        background: bool,
        dry_run: bool,
        yes: bool,
        agent: str,
        user: str,
        **options: object,
    ) -> None:
        wanted = Wanted(model_name(model) if model else None, dimension, background, dry_run, yes)
        acts = {"switch": self._switch, "rollback": self._rollback, "drop": self._drop}
        try:
            with _without_a_limit():
                if compare is not None:
                    self._compare(wanted, compare, agent, user)
                elif act is not None:
                    acts[act](wanted)
                elif wanted.model is not None:
                    self._build(wanted)
                else:
                    self._list()
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault
        except ProviderFault as fault:
            raise CommandError(
                f"{fault} ({fault.code}). What is done is kept; run it again."
            ) from fault
        except OperationalError as error:
            reason = str(error).strip().splitlines()[0]
            raise CommandError(f"{reason}. What is done is kept; run it again.") from error

    def _list(self) -> None:
        for space in EmbeddingSpace.objects.order_by("pk"):
            tables = (Embedding.objects, KnowledgeEmbedding.objects, CONTEXT)
            vectors = sum(table.filter(space=space).count() for table in tables)
            lack = lack_of(space).texts
            if space.state == State.CURRENT:
                lack += lack_of_context(space).texts
            self.stdout.write(f"{space.state:9}{space}: {vectors} vectors, {lack} missing")

    def _build(self, wanted: Wanted) -> None:
        """Fill a space, making it first. Nothing is made in a dry run, or when the answer is no."""
        model = embedder_named(str(wanted.model), wanted.dimension)
        if EmbeddingSpace.objects.current() is None:
            raise CommandError("nothing is embedded yet: set RECOLLECT_EMBEDDER instead")
        if wanted.dimension not in {None, model.dimension}:
            raise CommandError(f"{model.model} has {model.dimension} dimensions")
        known = {"version": model.version, "dimension": model.dimension}
        space = EmbeddingSpace.objects.filter(model=model.model, **known).first()
        lack = lack_of(space)
        megabytes = lack.texts * model.dimension * HALF_BYTES / 1e6
        self.stdout.write(
            f"{lack.texts} texts, about {lack.tokens} tokens, by {model.model} "
            f"({model.dimension} dimensions, {megabytes:.1f} MB)"
        )
        later = lack_of_context(space)
        if later.texts:
            self.stdout.write(
                f"after the switch {later.texts} of context, about {later.tokens} tokens"
            )
        self._forecast(wanted, model, lack.tokens)
        if wanted.dry_run:
            return
        self._ask(wanted, "Embed them")
        space = begin_space(model=model.model, version=model.version, dimension=model.dimension)
        if wanted.background:
            reembedding.begin(space)
            self.stdout.write("the workers build it: `manage.py reembed` shows how far they are")
            return
        self._fill(space)
        self.stdout.write("next: --compare, then --switch")

    def _compare(self, wanted: Wanted, file: Path, agent: str, user: str) -> None:
        old = EmbeddingSpace.objects.current()
        if old is None:
            raise CommandError("no space is current")
        new = self._other(wanted)
        asked = _questions(file, agent, user) if file.name else recent_questions(SAMPLED)
        self.stdout.write(f"old: {old}, new: {new}, {lack_of(new).texts} vectors missing")
        for line in lines(list(compare(asked, old=old, new=new))):
            self.stdout.write(line)

    def _switch(self, wanted: Wanted) -> None:
        space = self._other(wanted)
        self._forecast(wanted, embedder_for(space), lack_of(space).tokens)
        if self._only_said(wanted, f"fill {lack_of(space).texts} texts and switch to {space}"):
            return
        self._fill(space)
        self._go_over(space)

    def _rollback(self, wanted: Wanted) -> None:
        space = EmbeddingSpace.objects.previous()
        if space is None:
            raise CommandError("no space was current before")
        if self._only_said(wanted, f"fill {lack_of(space).texts} texts and go back to {space}"):
            return
        try:
            self._fill(space)
        except ProviderFault as fault:
            self.stderr.write(f"{fault.code}: what is missing is found by words until it is mended")
        self._go_over(space)

    def _drop(self, wanted: Wanted) -> None:
        unused = EmbeddingSpace.objects.filter(state__in=(State.RETIRED, State.DROPPING))
        for space in [self._other(wanted)] if wanted.model else list(unused):
            if not self._only_said(wanted, f"delete the vectors of {space}, for good"):
                count = reembedding.drop(space, actor=ACTOR)
                self.stdout.write(f"{space}: {count} vectors deleted")

    def _other(self, wanted: Wanted) -> EmbeddingSpace:
        """Return the space of the model that is named, else the one being built."""
        spaces = EmbeddingSpace.objects.exclude(state=State.CURRENT)
        if wanted.model:
            spaces = spaces.filter(model=wanted.model)
            if wanted.dimension:
                spaces = spaces.filter(dimension=wanted.dimension)
        else:
            spaces = spaces.filter(state=State.BUILDING)
        found = spaces.order_by("-state_since").first()
        if found is None:
            raise CommandError("there is no such space: build it with --model")
        return found

    def _fill(self, space: EmbeddingSpace) -> None:
        with tqdm(total=lack_of(space).texts, unit="text", disable=None) as bar:
            reembedding.fill(space, progress=bar.update)
        rest = lack_of(space).texts
        self.stdout.write(f"{space}: {rest} texts without a vector" if rest else f"{space}: full")

    def _go_over(self, space: EmbeddingSpace) -> None:
        waiting = reembedding.go_over(space, actor=ACTOR)
        self.stdout.write(f"{space} is current; {waiting} texts wait for their vector")

    def _only_said(self, wanted: Wanted, act: str) -> bool:
        if wanted.dry_run:
            self.stdout.write(f"would {act}")
        else:
            self._ask(wanted, act[0].upper() + act[1:])
        return wanted.dry_run

    def _forecast(self, wanted: Wanted, model: Embedder, tokens: int) -> None:
        """Say what the vectors will cost. Raises CommandError beyond a budget, unless told to go on."""
        forecast = of_vectors(model, tokens)
        if not forecast.micro_usd and not isinstance(model, MeteredEmbedder):
            return
        self.stdout.write(str(forecast))
        is_beyond = is_beyond_a_budget(forecast.micro_usd or Decimal(0))
        if is_beyond and not (wanted.yes or wanted.dry_run):
            raise CommandError(
                "that is more than a budget has left today: give --yes to begin all the same; "
                "what is done is kept, and the rest waits for the next day"
            )

    def _ask(self, wanted: Wanted, question: str) -> None:
        """Raise CommandError unless the answer is yes."""
        if wanted.yes:
            return
        try:
            answer = input(f"{question}? [y/N] ")
        except EOFError:
            answer = ""
        if answer.strip().lower() not in {"y", "yes"}:
            raise CommandError("nothing was done: answer y, or give --yes")


@contextmanager
def _without_a_limit() -> Iterator[None]:
    """Lift the limit that the statements of requests have."""
    with connection.cursor() as cursor:
        cursor.execute("set statement_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("reset statement_timeout")


def _questions(file: Path, agent: str, user: str) -> list[ComparedQuestion]:
    found = Agent.objects.filter(slug=agent).first()
    owner = find_owner(agent=found, user=user) if found else None
    if owner is None:
        raise CommandError(f"agent {agent} knows no user {user}")
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {type(error).__name__}") from error
    return [ComparedQuestion(owner, text, text) for text in texts if text.strip()]
