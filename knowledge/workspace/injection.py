"""What prompts show of a workspace: each file up to its cap, and a visible note where it is cut."""

import logging
from dataclasses import dataclass
from pathlib import Path

from accounts.identity import NO_FILES, Files
from accounts.models import Owner
from knowledge.errors import WorkspaceUnavailable
from knowledge.workspace.folder import folder_of, own_folder, reachable, read_text
from knowledge.workspace.names import File, written

log = logging.getLogger(__name__)
CAPS = {File.AGENTS: 8_000, File.SOUL: 4_000, File.USER: 4_000, File.MEMORY: 16_000}
TOTAL = 40_000
NOTE = "[{name} is longer: {left} more characters are not shown. Look for them with memory_search.]"


@dataclass(frozen=True, slots=True)
class InjectedFiles:
    """The texts of a prompt; empty is what nobody has written."""

    identity: Files = NO_FILES
    memory: str = ""


def load_shown(owner: Owner) -> InjectedFiles:
    """Return what prompts show of an owner's workspace, nothing where it cannot be read.

    A file that nobody wrote for this owner is the agent's own. MEMORY.md is the owner's alone.
    """
    try:
        with reachable():
            return _shown(folder_of(owner), own_folder(owner.agent))
    except WorkspaceUnavailable as error:
        log.warning("a prompt goes without its files: %s", error)
        return InjectedFiles()


def capped(name: File, text: str, cap: int) -> str:
    """Return at most `cap` characters of a file with a note of what is left out.

    Of MEMORY.md, which grows at its end, the end is kept; of the others the beginning.
    """
    if len(text) <= cap:
        return text
    # As long as the note can get: the number of what is left has no more digits than the whole.
    room = max(cap - len(NOTE.format(name=name.value, left=len(text))) - 2, 0)
    note = NOTE.format(name=name.value, left=len(text) - room)
    if name is File.MEMORY:
        return f"{note}\n\n{text[len(text) - room :]}"
    return f"{text[:room]}\n\n{note}"


def _shown(mine: Path, agents: Path) -> InjectedFiles:
    left = TOTAL
    texts: dict[File, str] = {}
    for name in CAPS:
        folders = [mine] if name is File.MEMORY else [mine, agents]
        text = next((found for folder in folders if (found := _written(folder, name))), "")
        texts[name] = capped(name, text, min(CAPS[name], left))
        left -= len(texts[name])
    identity = Files(texts[File.AGENTS], texts[File.SOUL], texts[File.USER])
    return InjectedFiles(identity, texts[File.MEMORY])


def _written(folder: Path, name: File) -> str:
    return written(name, read_text(folder / name))


def heartbeat_rules(owner: Owner) -> str:
    """Return what HEARTBEAT.md says to look after, read anew; empty where nobody wrote it."""
    try:
        with reachable():
            folders = (folder_of(owner), own_folder(owner.agent))
            found = (_written(folder, File.HEARTBEAT) for folder in folders)
            return next((text for text in found if text), "")
    except WorkspaceUnavailable as error:
        log.warning("a heartbeat goes without its rules: %s", error)
        return ""
