"""Which names and contents an entry may have."""

import unicodedata

from knowledge.errors import ContentUnfit, NameUnfit

NAME_CHARACTERS = 200
SEPARATORS = ("/", "\\")
# Control characters, halves of a character, and what no text may hold; lines end in two more ways.
REFUSED = ("Cc", "Cs", "Zl", "Zp")


def check_name(name: str) -> None:
    """Raise NameUnfit unless a name could be a file's, anywhere."""
    why = _fault_of(name)
    if why:
        raise NameUnfit(f"the name {why}")


def check_content(content: str) -> None:
    """Raise ContentUnfit for what no store could give back."""
    if "\x00" in content:
        raise ContentUnfit("the content holds NUL")
    if any(unicodedata.category(sign) == "Cs" for sign in content if sign > "\ud7ff"):
        raise ContentUnfit("the content holds half a character")


def _fault_of(name: str) -> str:
    faults = {
        "is empty": not name.strip(),
        f"is longer than {NAME_CHARACTERS} characters": len(name) > NAME_CHARACTERS,
        "holds a path separator": any(sign in name for sign in SEPARATORS),
        "holds `..`": ".." in name,
        "starts or ends with a dot": name[:1] == "." or name[-1:] == ".",
        "starts or ends with a space": name != name.strip(),
        "holds a control character": any(unicodedata.category(sign) in REFUSED for sign in name),
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")
