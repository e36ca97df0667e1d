"""The TypeScript client: generated from the schema, compiled strict, and run against a server."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from drf_spectacular.generators import SchemaGenerator

ROOT = Path(__file__).resolve().parent.parent.parent / "clients" / "typescript"
TOOLS = ROOT / "node_modules" / ".bin"
GENERATED = ROOT / "src" / "schema.ts"
pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not TOOLS.exists(), reason="its packages are missing: cd clients/typescript && npm ci"
    ),
    pytest.mark.django_db(transaction=True),
]
SCRIPT = """
import { Memory } from "./index.js";
const memory = new Memory("alice", { key: process.env.RECOLLECT_KEY, url: process.env.RECOLLECT_URL });
const { memories: [kept] } = await memory.add("I am allergic to peanuts.");
const [found] = await memory.search("allergic to what?");
const changed = await memory.update(kept.id, { text: "I am allergic to nuts." });
const listed = [];
for await (const item of memory.list()) listed.push(item.text);
const { forgotten } = await memory.forget(kept.id);
const code = await memory.get(kept.id).catch((error) => error.code);
console.log(JSON.stringify({ found: found.text, changed: changed.text, listed, forgotten: forgotten.length, code }));
"""


def run(*command: object, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("typescript")
    run(TOOLS / "tsc", "--outDir", folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    return folder


def test_what_is_committed_is_what_the_schema_gives(tmp_path):
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))

    run(
        *(TOOLS / "openapi-typescript", document, "--default-non-nullable=false"),
        *("--output", tmp_path / "schema.ts"),
    )

    again = "manage.py spectacular --format openapi-json --file clients/typescript/openapi.json"
    assert (tmp_path / "schema.ts").read_text() == GENERATED.read_text(), (
        f"{again}; npm run generate"
    )


def test_it_compiles_strict_and_every_result_has_a_type(built):
    declared = (built / "index.d.ts").read_text()

    assert "any" not in declared.split()
    assert "unknown" not in declared


def test_it_remembers_and_recalls(built, live_server, key):
    (built / "hello.js").write_text(SCRIPT)

    printed = run("node", built / "hello.js", RECOLLECT_KEY=key, RECOLLECT_URL=live_server.url)

    assert json.loads(printed) == {
        "found": "I am allergic to peanuts.",
        "changed": "I am allergic to nuts.",
        "listed": ["I am allergic to nuts."],
        "forgotten": 1,
        "code": "not_found",
    }
