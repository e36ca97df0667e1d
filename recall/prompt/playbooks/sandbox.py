"""A box for templates that nobody vouches for (pure).

Of Jinja2 only what reads is let in: names, keys, conditions, loops and a few filters. Nothing is
called, nothing is computed that could grow, no attribute of Python's is ever looked up, and steps,
time and output are bounded.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from jinja2 import StrictUndefined, TemplateError, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from recall.prompt.playbooks.filters import FILTERS, OUTPUT_CHARACTERS, text_of

TEMPLATE_CHARACTERS = 8_000
MOST_STEPS = 5_000
MOST_DEPTH = 40
MOST_LOOPS = 2
SECONDS = 0.5
COUNTED = "counted_steps"
LOOP_PARTS = frozenset({"index", "index0", "first", "last", "length"})
FORBIDDEN: tuple[tuple[tuple[type[nodes.Node], ...], str], ...] = (
    ((nodes.Call, nodes.CallBlock, nodes.Macro), "a call or a macro"),
    ((nodes.BinExpr, nodes.UnaryExpr, nodes.Concat), "a calculation"),
    ((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends), "another template"),
    ((nodes.Assign, nodes.AssignBlock, nodes.With), "a variable of its own"),
    ((nodes.List, nodes.Dict, nodes.Tuple), "a list or an object written out"),
    ((nodes.Block, nodes.FilterBlock, nodes.ScopedEvalContextModifier), "a block"),
)
TESTS = ("defined", "undefined", "none", "string", "number", "mapping", "sequence")
ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Slice,
    nodes.Const,
    nodes.If,
    nodes.For,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Test,
    nodes.Filter,
)
# What a template may do wrong: a missing name, a comparison of what does not compare.
FAILURES = (TemplateError, TypeError, ValueError, OverflowError, RecursionError)
# The same for its author, who need not know what Python calls it; the first that fits counts.
REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (RecursionError, "the template is nested too deep"),
    (OverflowError, "a number is too large"),
    (MemoryError, "the text becomes too long"),
    (SyntaxError, "the template cannot be read"),
    (
        TypeError,
        "values of different kinds are compared, or a filter is given what it does not take",
    ),
    (ValueError, "a value is not what a filter or a comparison takes"),
)


class TemplateRefused(Exception):
    """The template is not one that is let in. The message is for its author."""


class Failed(Exception):
    """The template could not be filled. The message is for its author."""


@dataclass(slots=True)
class RenderingBudget:
    """What one rendering may still do."""

    ends: float
    steps: int = MOST_STEPS

    def spend(self) -> None:
        """Count a step. Raises SecurityError after the last."""
        self.steps -= 1
        if self.steps < 0:
            raise SecurityError("the template takes too many steps")
        self.check()

    def check(self) -> None:
        """Look at the clock. Raises SecurityError after the end."""
        if time.monotonic() > self.ends:
            raise SecurityError("the template takes too long")


def fill(template: str, values: Mapping[str, object], *, seconds: float = SECONDS) -> str:
    """Return the template filled with plain values. Raises Unfit or Failed."""
    box = _Box(RenderingBudget(time.monotonic() + seconds))
    tree = _checked(box, template)
    try:
        filled = box.template_class.from_code(box, box.compile(tree), {})
        return "".join(_bounded(filled.generate(values), box.budget))
    except (*FAILURES, SyntaxError, MemoryError) as error:
        raise Failed(_reason(error)) from None


class _Box(ImmutableSandboxedEnvironment):
    """An environment without globals, in which a dot is a key and never an attribute."""

    def __init__(self, budget: RenderingBudget) -> None:
        super().__init__(
            undefined=StrictUndefined, autoescape=False, cache_size=0, finalize=text_of
        )
        self.budget = budget
        self.globals.clear()
        self.tests = {name: self.tests[name] for name in TESTS}
        self.filters = {name: self._counted(act) for name, act in FILTERS.items()}
        self.filters[COUNTED] = self._steps

    def getattr(self, obj: object, attribute: str) -> object:
        if isinstance(obj, LoopContext) and attribute in LOOP_PARTS:
            return getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: object, argument: object) -> object:
        found = _looked_up(obj, argument)
        return (
            self.undefined(f"there is no '{str(argument)[:60]}' in it")
            if found is MISSING
            else found
        )

    def _counted(self, act: Callable[..., object]) -> Callable[..., object]:
        def counted(*values: object) -> object:
            self.budget.spend()
            found = act(*values)
            if isinstance(found, str) and len(found) > OUTPUT_CHARACTERS:
                raise SecurityError("a text becomes too long")
            return found

        return counted

    def _steps(self, values: object) -> Iterator[object]:
        """Yield what is looped over, each a step."""
        if not isinstance(values, Mapping | list):
            # Of a missing name this raises what names it.
            raise SecurityError(f"lists and objects are looped over, and not {str(values)[:20]}")
        for value in list(values):
            self.budget.spend()
            yield value


MISSING = object()


def _looked_up(obj: object, argument: object) -> object:
    """Return a value by its key or its place, and nothing else that Python knows of it."""
    if isinstance(obj, Mapping):
        return obj.get(argument, MISSING) if isinstance(argument, str) else MISSING
    if isinstance(obj, list | str) and isinstance(argument, slice):
        return obj[argument]
    if isinstance(obj, list) and isinstance(argument, int):
        return obj[argument] if -len(obj) <= argument < len(obj) else MISSING
    return MISSING


def _checked(box: _Box, template: str) -> nodes.Template:
    """Return the template's tree with every loop counted. Raises Unfit."""
    if len(template) > TEMPLATE_CHARACTERS:
        raise TemplateRefused(f"a template is at most {TEMPLATE_CHARACTERS} characters")
    try:
        tree = box.parse(template)
    except FAILURES as error:
        raise TemplateRefused(_reason(error)) from None
    _check(tree, depth=0, loops=0)
    for loop in tree.find_all(nodes.For):
        loop.iter = nodes.Filter(loop.iter, COUNTED, [], [], None, None, lineno=loop.lineno)
    tree.set_environment(box)
    return tree


def _check(node: nodes.Node, *, depth: int, loops: int) -> None:
    """Refuse what is not let in, before anything of it runs. Raises Unfit."""
    if not isinstance(node, ALLOWED):
        raise TemplateRefused(
            f"{_called(node)} is not for templates of this kind (line {node.lineno})"
        )
    if isinstance(node, nodes.For):
        loops += 1
    if loops > MOST_LOOPS or getattr(node, "recursive", False):
        raise TemplateRefused(f"loops are at most {MOST_LOOPS} deep, and none calls itself")
    if depth > MOST_DEPTH:
        raise TemplateRefused("the template is nested too deep")
    if isinstance(node, nodes.Filter | nodes.Test):
        _check_named(node)
    for child in node.iter_child_nodes():
        _check(child, depth=depth + 1, loops=loops)


def _check_named(node: nodes.Filter | nodes.Test) -> None:
    known = FILTERS if isinstance(node, nodes.Filter) else TESTS
    if node.name not in known or node.kwargs or node.dyn_args or node.dyn_kwargs:
        raise TemplateRefused(
            f"there is no {node.name} in templates of this kind, or not in this way"
        )


def _bounded(pieces: Iterable[str], budget: RenderingBudget) -> Iterator[str]:
    length = 0
    for piece in pieces:
        budget.check()
        length += len(piece)
        if length > OUTPUT_CHARACTERS:
            raise SecurityError(f"the text becomes longer than {OUTPUT_CHARACTERS} characters")
        yield piece


def _reason(error: BaseException) -> str:
    if isinstance(error, TemplateError):
        return str(error)[:200]
    return next(
        (words for kind, words in REASONS if isinstance(error, kind)), "it cannot be filled"
    )


def _called(node: nodes.Node) -> str:
    return next((words for kinds, words in FORBIDDEN if isinstance(node, kinds)), "this")
