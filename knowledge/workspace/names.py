"""The files of a workspace: what each is called, begins with, and may hold (pure)."""

from enum import StrEnum


class File(StrEnum):
    """The files that are always there; the daily logs stand beside them."""

    AGENTS = "AGENTS.md"
    SOUL = "SOUL.md"
    USER = "USER.md"
    MEMORY = "MEMORY.md"
    HEARTBEAT = "HEARTBEAT.md"
    ERRORS = "learnings/errors.md"
    CORRECTIONS = "learnings/corrections.md"


FOLDERS = ("memory", "learnings")
# What an agent writes over the API. The others are added to by what happens.
WRITABLE = frozenset({File.AGENTS, File.SOUL, File.USER, File.MEMORY, File.HEARTBEAT})
MOST_CHARACTERS = 32_000
MOST_READ = 200_000
SCAFFOLD: dict[str, str] = {
    File.AGENTS: "# Agents\n\n<!-- Which agents there are. While this is all, the agent's setting `fleet` counts. -->\n",
    File.SOUL: "# Soul\n\n<!-- Who the agent is. While this is all, the agent's setting `soul` counts. -->\n",
    File.USER: "# User\n\n<!-- Who the user is. While this is all, the organization's `user_text` counts. -->\n",
    File.MEMORY: "# Memory\n",
    File.HEARTBEAT: "# Heartbeat\n\n<!-- What to look after on each heartbeat. -->\n",
    File.ERRORS: "# Errors\n",
    File.CORRECTIONS: "# Corrections\n",
}


def written(name: File, text: str) -> str:
    """Return a file's text without white space around it; empty while it is as it was made."""
    said = text.strip()
    return "" if said == SCAFFOLD[name].strip() else said


def one_line(text: str) -> str:
    """Return text that stays one line and begins no comment, so that it cannot pass for a mark."""
    return " ".join(text.split()).replace("<!--", "<! --")
