"""memory_search, memory_save and memory_recall."""

import re

from django.utils import timezone
from rest_framework import serializers

from api.v1.fields import Body, Number, Text
from api.v1.tools.base import Json, Tool, ToolInvocation
from api.v1.tools.whose import owner_of
from consolidation.embedding.save_fact import keep_fact
from knowledge.errors import WorkspaceUnavailable
from knowledge.models import SavedFact
from knowledge.saved_facts.categories import GENERAL
from knowledge.saved_facts.salience import touch
from knowledge.saved_facts.save import NewFact
from knowledge.workspace.memory import log_line
from knowledge.workspace.search import FileHit, search_files
from recall.search.saved_facts import SavedHit, recall_saved, search_saved

DEFAULT_RESULTS = 5
MOST_RESULTS = 50
QUERY_CHARACTERS = 1_000
CONTENT_CHARACTERS = 4_000
LONGEST_LEFT = 80
LONGEST_KEY = 60
SEPARATOR = re.compile(r":\s")
# A tool is not the user: what a model thinks worth saving is nearly as good as what was said.
CONFIDENCE = 0.9


class SearchIn(Body):
    query = Text(max_length=QUERY_CHARACTERS)
    max_results = Number(
        min_value=1, max_value=MOST_RESULTS, default=DEFAULT_RESULTS, allow_null=True
    )


class RecallFactsIn(SearchIn):
    category = Text(max_length=100, required=False, allow_null=True)


class SaveIn(Body):
    content = Text(max_length=CONTENT_CHARACTERS)
    category = Text(max_length=100, required=False, allow_null=True)

    def validate_content(self, value: str) -> str:
        if not value.strip(" :-\u2014\t\n"):
            raise serializers.ValidationError("say what is so, as `key: value` or in a sentence")
        return value


def search(call: ToolInvocation, arguments: Json) -> Json:
    """Search the workspace, then the saved facts; what one of them lacks, the other answers."""
    owner, query, most = owner_of(call), str(arguments["query"]), _most(arguments)
    missing: list[str] = []
    try:
        files = search_files(owner=owner, query=query, limit=most)
    except WorkspaceUnavailable:
        files, missing = [], ["workspace"]
    found = search_saved(owner=owner, query=query, limit=most).hits
    # Neither crowds the other out: half for each, and what the other leaves.
    files = files[: max(most - len(found), most - most // 2)]
    found = found[: most - len(files)]
    touch(owner=owner, ids=[hit.fact.pk for hit in found])
    results = [*map(_of_file, files), *map(_of_fact, found)]
    return {"count": len(results), "results": results, "missing": missing}


def save(call: ToolInvocation, arguments: Json) -> Json:
    """Write a line in the daily log, and a fact."""
    content, owner = str(arguments["content"]), owner_of(call)
    key, value = split(content)
    file = log_line(owner=owner, text=content, at=timezone.now())
    saved = keep_fact(
        owner=owner,
        fact=NewFact(key, value, str(arguments.get("category") or GENERAL), confidence=CONFIDENCE),
        source=SavedFact.Source.TOOL,
        session=call.session,
    )
    return {"saved": True, "id": saved.pk, "key": saved.key, "value": saved.value, "file": file}


def recall(call: ToolInvocation, arguments: Json) -> Json:
    """Find saved facts by what they mean, within a category if one is named."""
    category = arguments.get("category")
    found = recall_saved(
        owner=owner_of(call),
        query=str(arguments["query"]),
        limit=_most(arguments),
        category=category if isinstance(category, str) and category else None,
    )
    results = [_of_fact(hit) for hit in found.hits]
    return {"count": len(results), "results": results, "degraded": found.degraded or None}


def split(content: str) -> tuple[str, str]:
    """Return key and value of `key: value`; a colon within a time or an address parts nothing.

    Any other text is its own value, under its first words: 60 characters at most.
    """
    text = content.strip()
    found = SEPARATOR.search(text)
    if found:
        left, right = text[: found.start()].strip(), text[found.end() :].strip()
        if left and right and len(left) <= LONGEST_LEFT:
            return " ".join(left.split()), right
    words = " ".join(text.split())
    if len(words) <= LONGEST_KEY:
        return words, text
    cut = words[: LONGEST_KEY + 1].rpartition(" ")[0]
    return cut or words[:LONGEST_KEY], text


def _most(arguments: Json) -> int:
    most = arguments.get("max_results")
    return most if isinstance(most, int) else DEFAULT_RESULTS


def _of_file(hit: FileHit) -> Json:
    score = round(hit.score, 4)
    return {"source": "workspace", "file": hit.file, "snippet": hit.snippet, "score": score}


def _of_fact(hit: SavedHit) -> Json:
    fact = hit.fact
    return {
        "source": "memory_db",
        "id": fact.pk,
        "key": fact.key,
        "value": fact.value,
        "category": fact.category,
        "confidence": fact.confidence,
        "score": round(hit.score, 4),
    }


def _text(description: str) -> Json:
    return {"type": "string", "description": description}


QUERY = _text("What to look for, in a few words.")
COUNT = {
    "type": "integer",
    "description": "The most results; 5 unless told.",
    "minimum": 1,
    "maximum": MOST_RESULTS,
}


def _parameters(properties: Json, *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TOOLS = (
    Tool(
        name="memory_search",
        description=(
            "Search everything you kept: your workspace files (MEMORY.md, daily logs, learnings) and "
            "your saved facts. Each result says its source."
        ),
        parameters=_parameters({"query": QUERY, "max_results": COUNT}, "query"),
        arguments=SearchIn,
        run=search,
        is_read_only=True,
    ),
    Tool(
        name="memory_save",
        description=(
            "Keep a fact for later conversations, as `key: value` where it has a name. It goes into "
            "today's log and into your saved facts; saving a key again replaces its value."
        ),
        parameters=_parameters(
            {
                "content": _text("The fact, in one sentence."),
                "category": _text("What it is about, in a word; left out: found by its meaning."),
            },
            "content",
        ),
        arguments=SaveIn,
        run=save,
    ),
    Tool(
        name="memory_recall",
        description="Find saved facts by meaning, in one category if you name it.",
        parameters=_parameters(
            {"query": QUERY, "category": _text("Only facts of it."), "max_results": COUNT}, "query"
        ),
        arguments=RecallFactsIn,
        run=recall,
        is_read_only=True,
    ),
)
