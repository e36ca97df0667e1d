"""The two sides of temporal governance: what it reads of a user, and what it hands to a prompt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from accounts.models import Owner
from recall.prompt.sources.profile import ProfilePicture, load_profile

# The model is asked to keep goals under Goals, whatever else it names; these are what older
# profiles and the person call them, folded.
GOALS = frozenset(
    {"goal", "goals", "objective", "objectives", "aim", "aims", "okr", "okrs", "target", "targets"}
    | {"ambition", "ambitions", "priority", "priorities", "aspiration", "aspirations"}
    | {"ziel", "ziele", "objetivo", "objetivos", "objectif", "objectifs"}
)
MOST_GOALS = 100


@dataclass(frozen=True, slots=True)
class Directives:
    """How careful, in which tone and within which frame a turn is to be answered; empty says nothing."""

    caution: str = ""
    tone: str = ""
    framing: str = ""

    @property
    def shown(self) -> Mapping[str, object]:
        """What is filled, as a line of a prompt."""
        return {name: text for name, text in asdict(self).items() if text}


NO_DIRECTIVES = Directives()


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of the scaffold; `path` is its JSON Pointer, `confidence` None where none is kept."""

    path: str
    value: object
    confidence: float | None


@dataclass(frozen=True, slots=True)
class GovernedState:
    """What a state estimator reads: the goals of S and the current context of W."""

    goals: Sequence[Goal] = ()
    current_context: str = ""
    scaffold_version: int = 0
    narrative_version: int = 0


def memory_state(owner: Owner) -> GovernedState:
    """Return the goals and the current context of an owner."""
    return state_of(load_profile(owner))


def state_of(profile: ProfilePicture) -> GovernedState:
    """Return the state that a profile holds (pure)."""
    scaffold, narrative = profile.scaffold, profile.narrative
    found = [Goal(path, value, scaffold.sure_of(path)) for path, value in _goals(scaffold.data)]
    return GovernedState(found[:MOST_GOALS], narrative.text, scaffold.version, narrative.version)


def pointer(path: str, key: str) -> str:
    """Return the JSON Pointer of a key below a path."""
    return f"{path}/{key.replace('~', '~0').replace('/', '~1')}"


def _goals(data: object, path: str = "", *, is_goal: bool = False) -> Iterator[tuple[str, object]]:
    """Yield what stands under a key that names goals, at any depth; each leaf of it once."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _goals(value, pointer(path, key), is_goal=is_goal or _names_goals(key))
    elif isinstance(data, list) and (is_goal or any(isinstance(one, Mapping) for one in data)):
        for place, value in enumerate(data):
            yield from _goals(value, f"{path}/{place}", is_goal=is_goal)
    elif is_goal and data not in (None, ""):
        yield path, data


def _names_goals(key: str) -> bool:
    words = "".join(letter if letter.isalnum() else " " for letter in key.casefold()).split()
    return any(word in GOALS for word in words)
