"""Every setting, read once, grouped by the app that reads it. Documented in docs/settings.md."""

from pathlib import Path

from memory_project import data_folder, database, env, prices, secret
from providers.presets import PRESETS, WITH_VECTORS
from recall.search.ranking_profiles import LONG_TERM_VECTORS as LONG_TERM_CHOICES
from recall.search.ranking_profiles import PROFILES

BASE_DIR = Path(__file__).resolve().parent.parent

# --- the installation -------------------------------------------------------------------------
DATA_DIR = Path(env.text("RECOLLECT_DATA") or data_folder.default(BASE_DIR)).resolve()
PORT = env.integer("RECOLLECT_PORT", 8710, least=1)
# Everyone who reaches another address than this one can try keys and passwords.
BIND = env.text("RECOLLECT_BIND", "127.0.0.1")
WEB_PROCESSES = env.integer("RECOLLECT_WEB_PROCESSES", 2, least=1)
WEB_THREADS = env.integer("RECOLLECT_WEB_THREADS", 4, least=1)
DEBUG = env.flag("RECOLLECT_DEBUG", default=False)
SECRET_KEY = env.text("RECOLLECT_SECRET_KEY") or secret.key(DATA_DIR, "secret_key")
# Keys the fingerprints of requests: kept outside the database, so that its rows alone tell nothing.
PSEUDONYM_KEY = env.text("RECOLLECT_PSEUDONYM_KEY") or secret.key(DATA_DIR, "pseudonym_key")
# This machine itself may always ask: `make up` and probes do.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env.listing("RECOLLECT_HOSTS")]
BEHIND_TLS = env.flag("RECOLLECT_TLS", default=False)
VERSION = "0.1.0"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "template_partials",
    "audit",
    "accounts",
    "memory",
    "knowledge",
    "recall",
    "django_q",
    "consolidation",
    "crisis",
    "feedback",
    "api",
    "inspector",
    "memory_project",
]
MIDDLEWARE = [
    "memory_project.traffic.CountRequests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "memory_project.policy.name_the_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "inspector.http.see_as_the_link_says",
    "inspector.http.AnswerWithPages",
]
ROOT_URLCONF = "memory_project.urls"
WSGI_APPLICATION = "memory_project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASE_URL = env.text("DATABASE_URL")
DATABASES = {
    "default": database.settings(
        DATABASE_URL,
        DATA_DIR,
        max_age=env.integer("RECOLLECT_CONNECTION_SECONDS", 60),
        statement_seconds=env.integer("RECOLLECT_STATEMENT_SECONDS", 5),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Serves straight from the apps' folders: no collect step between a checkout and a working page.
WHITENOISE_USE_FINDERS = True

# --- what a browser may do --------------------------------------------------------------------
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "sessions"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_TRUSTED_ORIGINS = env.origins("RECOLLECT_ORIGINS")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = BEHIND_TLS
SECURE_HSTS_PRELOAD = BEHIND_TLS
SECURE_SSL_REDIRECT = BEHIND_TLS
# What a machine asks for is asked over plain HTTP inside the host.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
# Not "no-referrer": with it a browser sends `Origin: null`, and no form passes the CSRF check.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- accounts ---------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- api --------------------------------------------------------------------------------------
# One byte more than the API's own limit, so that the API answers, with its code and its hint.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_048_577
# Of one key, over all processes; five seconds' worth may come at once. 0 is no limit.
REQUESTS_PER_SECOND = env.integer("RECOLLECT_REQUESTS_PER_SECOND", 200, least=0)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["api.permissions.IsAgent"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.KeyThrottle"],
    "DEFAULT_PARSER_CLASSES": ["api.parsing.StrictJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.negotiation.FirstForAnybody",
    "DEFAULT_RENDERER_CLASSES": ["api.rendering.OrjsonRenderer"],
    "DEFAULT_SCHEMA_CLASS": "api.schema.OperationSchema",
    "EXCEPTION_HANDLER": "api.errors.problem",
    "UNAUTHENTICATED_USER": None,
    # Everything is JSON: `format` is a parameter like any other.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Recollect",
    "DESCRIPTION": "The memory server for AI agents.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "POSTPROCESSING_HOOKS": [
        "api.schema.add_failures",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "SERVERS": [{"url": "/", "description": "This server."}],
    "LICENSE": {"name": "Apache-2.0"},
}

# --- providers --------------------------------------------------------------------------------
EMBEDDER = env.choice("RECOLLECT_EMBEDDER", "local", ["local", "openai", "hashing", "null"])
OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
# Vectors and chat each have an endpoint: a preset's, one of their own, or else the two lines above.
EMBEDDING_PROVIDER = env.choice("RECOLLECT_EMBEDDING_PROVIDER", "", WITH_VECTORS)
EMBEDDING_URL = env.text("RECOLLECT_EMBEDDING_URL") or PRESETS[EMBEDDING_PROVIDER].url
EMBEDDING_KEY = env.text("RECOLLECT_EMBEDDING_KEY")
OPENAI_EMBEDDING_MODEL = env.text(
    "RECOLLECT_EMBEDDING_MODEL", PRESETS[EMBEDDING_PROVIDER].embedding_model
)
OPENAI_EMBEDDING_DIMENSION = env.integer(
    "RECOLLECT_EMBEDDING_DIMENSION", PRESETS[EMBEDDING_PROVIDER].dimension, least=1
)
CHAT_PROVIDER = env.choice("RECOLLECT_CHAT_PROVIDER", "", list(PRESETS))
CHAT_URL = env.text("RECOLLECT_CHAT_URL") or PRESETS[CHAT_PROVIDER].url
CHAT_KEY = env.text("RECOLLECT_CHAT_KEY")
OPENAI_TIMEOUT_SECONDS = env.number("RECOLLECT_PROVIDER_SECONDS", 20.0)
CHAT = env.choice("RECOLLECT_CHAT", "auto", ["auto", "openai", "offline", "null"])
OPENAI_CHAT_MODEL = env.text("RECOLLECT_CHAT_MODEL", PRESETS[CHAT_PROVIDER].chat_model)
OPENAI_CHAT_SECONDS = env.number("RECOLLECT_CHAT_SECONDS", 60.0)
# What makes the picture of a user: a fast, cheap one will do. Empty is the chat model.
SYNTHESIS_MODEL = env.text("RECOLLECT_SYNTHESIS_MODEL")
# The drop-in hands answers on for at most this long; each holds one of a web process's threads.
DROP_IN_SECONDS = env.number("RECOLLECT_DROP_IN_SECONDS", 120.0)
DROP_IN_AT_ONCE = env.integer("RECOLLECT_DROP_IN_AT_ONCE", 3, least=1)
EMBEDDER_THREADS = env.integer("RECOLLECT_EMBEDDER_THREADS", 1, least=1)

# --- costs ------------------------------------------------------------------------------------
PRICES = prices.prices(env.text("RECOLLECT_PRICES"))
PRICES_VERSION = prices.version(PRICES)
# Dollars per 1,000 tokens of every text that is embedded, by whichever model.
SYSTEM_EMBEDDINGS = prices.amount(env.text("RECOLLECT_SYSTEM_EMBEDDINGS"))
METER = "memory_project.metering.reserve"

# --- memory ---------------------------------------------------------------------------------
# Counts tokens as the model does that reads the prompts.
TOKENIZER = env.text("RECOLLECT_TOKENIZER")

# The most that a session may keep; a request may keep less.
MODE = env.choice("RECOLLECT_MODE", "synced", ["incognito", "guest", "local", "synced"])
# Where incognito sessions are held: a socket, "process" for the only process of a server, or nowhere.
INCOGNITO = env.text("RECOLLECT_INCOGNITO")

# --- knowledge --------------------------------------------------------------------------------
# The root of the agents' Markdown files; without it a folder in the data folder.
WORKSPACE = env.text("RECOLLECT_WORKSPACE")

# --- recall -----------------------------------------------------------------------------------
RANKING_PROFILE = env.choice("RECOLLECT_RANKING_PROFILE", "calibrated", sorted(PROFILES))
# A reader waits so long for a question's vector; then words answer, and the next question has it.
QUERY_WAIT_SECONDS = env.number("RECOLLECT_QUERY_WAIT_SECONDS", 0.3)
# A question's vector that nobody waits for any more is given up after this.
QUERY_EMBEDDING_SECONDS = env.number("RECOLLECT_QUERY_EMBEDDING_SECONDS", 2.0)
# Seed rule CH-05 is "summaries": then only summaries of long-term sessions have vectors.
LONG_TERM_VECTORS = env.choice("RECOLLECT_LONG_TERM_VECTORS", "passages", LONG_TERM_CHOICES)
# Owners with more vectors than this get a graph of their own.
GRAPH_ROWS = env.integer("RECOLLECT_GRAPH_ROWS", 8000, least=1)

# --- consolidation: jobs ----------------------------------------------------------------------
WORKERS = env.integer("RECOLLECT_WORKERS", 2, least=1)
JOB_LEASE_SECONDS = env.integer("RECOLLECT_JOB_LEASE_SECONDS", 60, least=1)
# Nobody waits longer than this for the summary of a session that ends.
SUMMARY_SECONDS = env.number("RECOLLECT_SUMMARY_SECONDS", 30.0)
# A session in which nothing happens for this long is ended; 0 is never.
INACTIVITY_SECONDS = env.integer("RECOLLECT_INACTIVITY_SECONDS", 1200, least=0)
ON_SHUTDOWN = env.choice("RECOLLECT_ON_SHUTDOWN", "park", ["park", "end"])
# Between two rounds of the MemoryProcessor; and how long nothing new is observed before one of them
# works on a profile.
SYNTHESIS_SECONDS = env.integer("RECOLLECT_SYNTHESIS_SECONDS", 60, least=1)
SYNTHESIS_QUIET_SECONDS = env.integer("RECOLLECT_SYNTHESIS_QUIET_SECONDS", 120, least=0)
JOB_MAX_ATTEMPTS = env.integer("RECOLLECT_JOB_MAX_ATTEMPTS", 5, least=1)
Q_CLUSTER = {
    "name": "recollect",
    "broker_class": "consolidation.jobs.broker.JobBroker",
    "workers": WORKERS,
    "queue_limit": WORKERS,
    "bulk": 1,
    "timeout": 600,
    "retry": 1300,
    "max_attempts": 1,
    "ack_failures": True,
    "save_limit": -1,
    "catch_up": False,
    "scheduler": False,
    "poll": 0.1,
    "recycle": 500,
}

# Hosts, with a port where it is not the scheme's own, that connections may be asked about at.
TOOL_HOSTS = env.listing("RECOLLECT_TOOL_HOSTS")
CONNECTION_CONTEXT_SECONDS = env.integer("RECOLLECT_CONNECTION_CONTEXT_SECONDS", 86_400, least=1)

# --- crisis, feedback ---------------------------------------------------------------------------
CRISIS_DAYS = env.integer("RECOLLECT_CRISIS_DAYS", 90, least=1)
FEEDBACK_DAYS = env.integer("RECOLLECT_FEEDBACK_DAYS", 180, least=1)

# --- what a person had forgotten --------------------------------------------------------------
FORGOTTEN_DAYS = env.integer("RECOLLECT_FORGOTTEN_DAYS", 7)

LOG_LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
LOG_LEVEL = env.choice("RECOLLECT_LOG_LEVEL", "INFO", LOG_LEVELS)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # The request log names paths; it never holds a body.
        "django.request": {"level": "ERROR"},
        "django_q": {"level": "WARNING"},
        "django-q": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
    },
}
