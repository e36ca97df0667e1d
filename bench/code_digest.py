"""What a program does, as a digest: comments, docstrings and blank lines do not count."""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

LENGTH = 8


class NothingMatches(Exception):
    """A pattern that no file has: the code was moved, and who depends on it does not know."""


def digests(root: Path, patterns: Iterable[str]) -> dict[str, str]:
    """Return the digest of each file that a pattern matches, by its path below `root`.

    Raises NothingMatches for a pattern without a file.
    """
    paths: set[Path] = set()
    for pattern in patterns:
        matched = {path for path in root.glob(pattern) if path.is_file()}
        if not matched:
            raise NothingMatches(pattern)
        paths |= matched
    return {path.relative_to(root).as_posix(): _short(_code(path)) for path in sorted(paths)}


def digest(files: Mapping[str, str]) -> str:
    """Return one digest for the digests of several files."""
    return _short("".join(f"{path} {files[path]}\n" for path in sorted(files)).encode())


def code_of(source: str) -> str:
    """Return a Python program without its comments, docstrings and blank lines.

    Cut out of the source rather than printed anew from its tree: what `ast` prints differs
    between versions of Python, and a digest must not.
    """
    lines = source.splitlines()
    for row, column in _comments(source):
        lines[row] = lines[row][:column]
    for first, last in _docstrings(ast.parse(source)):
        lines[first:last] = [""] * (last - first)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _code(path: Path) -> bytes:
    content = path.read_bytes()
    return code_of(content.decode()).encode() if path.suffix == ".py" else content


def _comments(source: str) -> Iterator[tuple[int, int]]:
    """Yield the line, from 0, and the column at which each comment begins."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0] - 1, token.start[1]


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the lines, from 0 and without the last, that hold each docstring and nothing else."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is None:
            continue
        text = node.body[0]
        begins = getattr(node, "lineno", 0)
        if text.lineno > begins and text.end_lineno is not None:
            yield text.lineno - 1, text.end_lineno


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:LENGTH]
