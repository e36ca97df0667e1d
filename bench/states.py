"""Folders in which not every chunk has a vector, made of a settled one and put back afterwards."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from memory_project.database import socket_folder

# A share of the chunks that is the same in every import: it goes by their texts.
SHARE = "('x' || left(md5(chunk.text), 7))::bit(28)::int"
# Whole rows are kept aside, whatever columns a vector has.
COPY = """
create schema if not exists bench;
create table if not exists bench.embedding as table memory_embedding
"""
BRING_BACK = "delete from memory_embedding; insert into memory_embedding table bench.embedding"
TAKE_OUT = """
delete from memory_embedding vector using memory_chunk chunk
where chunk.owner_id = vector.owner_id and chunk.number = vector.document and {lacks}
"""


@dataclass(frozen=True, slots=True)
class State:
    """Which chunks lack a vector, as a condition on `chunk`, and by which formula is asked."""

    what: str
    lacks: str
    profile: str = "calibrated"


STATES: Mapping[str, State] = {
    "words": State("nothing is embedded, and words are asked", "true", "words"),
    "none": State("the model is asked, and no chunk has a vector", "true"),
    "tenth": State("a tenth of the chunks has a vector", f"{SHARE} % 10 > 0"),
    "recent": State(
        "details of long-term memory have no vector", "chunk.tier = 'long_term_detail'"
    ),
    "half": State("a change of model is half way", f"{SHARE} % 2 > 0"),
    "all": State("settled, as the defaults have it", "false"),
}


@contextmanager
def vectors(folder: Path) -> Iterator["Vectors"]:
    """Keep the vectors of an installation aside, and bring them back when the block ends.

    What a run that was killed has left aside is brought back first.
    """
    with _connection(folder) as connection:
        kept = Vectors(connection)
        kept.bring_back()
        kept.keep()
        try:
            yield kept
        finally:
            kept.bring_back()


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a running installation, all of them kept aside."""

    connection: psycopg.Connection

    def keep(self) -> None:
        """Put a copy of every vector aside."""
        self.connection.execute(COPY)

    def become(self, state: State) -> int:
        """Take out the vectors that a state lacks; return how many are left."""
        with self.connection.transaction():
            self.connection.execute(BRING_BACK)
            self.connection.execute(TAKE_OUT.format(lacks=state.lacks))
        self.connection.execute("analyze memory_embedding")
        return int(self._first("select count(*) from memory_embedding"))

    def bring_back(self) -> None:
        """Put everything where it was, where something is aside."""
        if self._first("select to_regclass('bench.embedding')") is None:
            return
        with self.connection.transaction():
            self.connection.execute(BRING_BACK)
            self.connection.execute("drop schema bench cascade")
        self.connection.execute("analyze memory_embedding")

    def _first(self, query: str) -> Any:
        row = self.connection.execute(query).fetchone()
        return row[0] if row else None


def _connection(folder: Path) -> psycopg.Connection:
    """Connect to the database of a data folder, or to the one that the environment names."""
    if url := os.environ.get("DATABASE_URL"):
        return psycopg.connect(url, autocommit=True)
    # The name, the user and the port of the embedded server are always the same.
    address = f"host={socket_folder(folder)} port=5432 user=postgres dbname=recollect"
    return psycopg.connect(address, autocommit=True)
