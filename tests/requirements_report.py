"""Print which requirements a test proves and which are open: `python -m tests.requirements_report`."""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT.parent / "shared" / "spec" / "requirements.md"
ROW = re.compile(r"^\| ([A-Z]{2}-\d+) \| (.+?) \|", re.MULTILINE)


def marks() -> dict[str, list[str]]:
    """Return each proven requirement with the tests that prove it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for row in _rows(node):
                    found[row].append(f"{path.relative_to(ROOT)}::{node.name}")
    return found


def _rows(function: ast.FunctionDef) -> list[str]:
    calls = [one for one in function.decorator_list if isinstance(one, ast.Call)]
    named = [call for call in calls if ast.unparse(call.func) == "pytest.mark.requirement"]
    return [str(ast.literal_eval(argument)) for call in named for argument in call.args]


def main() -> None:
    proven = marks()
    write = sys.stdout.write
    for row in sorted(proven):
        write(f"proven {row}: {proven[row][0]}\n")
    if not TABLE.exists():
        write(f"{len(proven)} rows proven; the table is not here to tell the open ones\n")
        return
    table = dict(ROW.findall(TABLE.read_text(encoding="utf-8")))
    unknown = sorted(proven.keys() - table.keys())
    for row in sorted(table.keys() - proven.keys()):
        write(f"open   {row}: {table[row]}\n")
    write(f"{len(proven.keys() & table.keys())} of {len(table)} rows proven\n")
    if unknown:
        sys.exit(f"no such rows: {', '.join(unknown)}")


if __name__ == "__main__":
    main()
