"""A file's text as the memory tool shows and changes it, told in the words of its reference."""

from collections.abc import Sequence

from knowledge.errors import CommandRefused

MOST_LINES = 999_999
NUMBER_WIDTH = len(str(MOST_LINES))
AROUND = 2


def numbered(path: str, content: str, view_range: Sequence[int] | None) -> str:
    """Return the lines with their numbers; of a range, -1 is the last line."""
    lines = content.split("\n")
    if len(lines) > MOST_LINES:
        raise CommandRefused(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = 1, len(lines)
    if view_range:
        first = max(1, view_range[0])
        last = last if view_range[1] == -1 else view_range[1]
    shown = _with_numbers(lines[first - 1 : last], first)
    return f"Here's the content of {path} with line numbers:\n{shown}"


def replaced(path: str, content: str, old: str, new: str) -> tuple[str, str]:
    """Return the text with its one `old` replaced, and what to tell. Raises CommandRefused."""
    places = _places(content, old)
    if not places:
        raise CommandRefused(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if content.count(old) > 1:
        lines = ", ".join(str(content[:place].count("\n") + 1) for place in places)
        raise CommandRefused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{lines}. Please ensure it is unique"
        )
    text = content.replace(old, new)
    line = content[: places[0]].count("\n")
    first = max(0, line - AROUND)
    snippet = _with_numbers(text.split("\n")[first : line + AROUND + 1], first + 1)
    return text, (
        "The memory file has been edited. Here is the snippet showing the change "
        f"(with line numbers):\n{snippet}"
    )


def inserted(path: str, content: str, line: int, text: str) -> tuple[str, str]:
    """Return the text with another after that many of its lines, and what to tell.

    Raises CommandRefused.
    """
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise CommandRefused(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, text.rstrip("\n"))
    whole = "\n".join(lines)
    return whole if whole.endswith("\n") else f"{whole}\n", f"The file {path} has been edited."


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(
        f"{str(number).rjust(NUMBER_WIDTH)}\t{line}" for number, line in enumerate(lines, first)
    )


def _places(content: str, old: str) -> list[int]:
    """Return where `old` begins, overlapping places too."""
    places, place = [], content.find(old)
    while place != -1:
        places.append(place)
        place = content.find(old, place + 1)
    return places
