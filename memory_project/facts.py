"""What a caller needs to know of a running installation: in `up.json` and on the screen."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from memory_project.secret import write_private

FILE = "up.json"
SAID = '{"messages":[{"role":"user","content":"My cat is called Schrödinger and she only eats trout."}]}'


@dataclass(frozen=True, slots=True)
class InstallationFacts:
    """`operator_password` None was set elsewhere and is known to who set it."""

    url: str
    operator_login: str
    operator_password: str | None
    agent: str
    agent_key: str


def remembered(data: Path, name: str) -> str | None:
    """Return a fact that an earlier start wrote down."""
    try:
        known = json.loads((data / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    value = known.get(name) if isinstance(known, dict) else None
    return value if isinstance(value, str) else None


def write(data: Path, facts: InstallationFacts) -> None:
    write_private(data / FILE, asdict(facts))


def welcome(data: Path, facts: InstallationFacts) -> str:
    password = facts.operator_password or "(reset it: manage.py changepassword operator)"
    call = f"curl -sS -H 'Authorization: Bearer {facts.agent_key}' -H 'Content-Type: application/json' {facts.url}/api/v1"
    read = "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"id\"])'"
    return f"""
Recollect is up at {facts.url}
  operator   {facts.operator_login} / {password}
  agent      {facts.agent}, key {facts.agent_key}
  also in    {data / FILE}

Try it: remember, end the session, ask.
S=$({call}/sessions -d '{{"user":"alice"}}' | {read}) && {call}/sessions/$S/events -d '{SAID}'
{call}/sessions/$S/end -d '{{}}'
{call}/recall -d '{{"user":"alice","query":"What does my cat eat?"}}'

Ctrl-C stops everything.
"""
