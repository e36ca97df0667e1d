import re
import time

import pytest

from recall.errors import PlaybookFailed, PlaybookUnfit
from recall.prompt.playbooks.fill import render_playbook
from recall.prompt.playbooks.sandbox import Failed, fill
from tests.factories import make_agent
from tests.recall.learned import owner_of
from tests.recall.pictures import W, connect, picture


@pytest.fixture
def alice(porter):
    owner = owner_of(porter)
    picture(owner, learned=("has a cat", "likes \u202eshort\u200b mails"))
    connect(owner)
    return owner


def rendered(owner, template, **variables) -> str:
    return render_playbook(template, owner=owner, variables=variables)


@pytest.mark.requirement("TS-77")
def test_a_template_reads_narrative_profile_and_learned_of_the_user(alice):
    template = (
        "{{ user.narrative }} A {{ user.profile.Role|upper }} who wants to"
        " {{ user.profile['Goals'].year }}.{% for text in user.learned %}"
        " {{ loop.index }}/{{ loop.length }} {{ text }}{% if not loop.last %};{% endif %}"
        "{% endfor %} Project {{ user.tools.jira.default_project }} for {{ recipient }}."
    )

    assert rendered(alice, template, recipient="bob") == (
        f"{W} A BAKER who wants to open a bakery. 1/2 has a cat; 2/2 likes short mails"
        " Project jira-PROJ for bob."
    )


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ user.profile.Goals }}", '{"year": "open a bakery"}'),
        ("{{ user.learned[0] }} {{ user.learned[:1] }}", 'has a cat ["has a cat"]'),
        ("{{ user.learned|first }}, {{ user.learned|last|length }}", "has a cat, 19"),
        ("{{ user.profile|join(', ') }}", "Role, Goals, Projects"),
        ("{{ user.profile.Pet|default('none') }}", "none"),
        ("{{ user.profile.Pet.name|default('none') }}", "none"),
        ("{{ user.profile.items|default('no key') }}", "no key"),
        ("{{ user.narrative|truncate(6) }}|{{ ' a '|trim|lower }}", "Alice…|a"),
        ("{% if user.profile.Pet is defined %}a{% else %}b{% endif %}", "b"),
        ("{{ 'x' if 'cat' in user.learned[0] and not false else 'y' }}", "x"),
        ("{{ n }} {{ none_ }} {{ yes }} {{ n|tojson }}", "1.5 null true 1.5"),
        ("{% for k in d %}{% for v in d[k] %}{{ v }}{% endfor %}{% endfor %}", "12"),
        ("{# a comment #}{{ '{{' }}", "{{"),
        ("{{ user.learned[7]|default('few') }}", "few"),
    ],
)
def test_what_templates_may_say(alice, template, text):
    values = {"n": 1.5, "none_": None, "yes": True, "d": {"a": [1], "b": [2]}}

    assert rendered(alice, template, **values) == text


def test_no_variable_stands_in_for_the_user(alice):
    assert rendered(alice, "{{ user.narrative }}", user={"narrative": "of bob"}) == W
    with pytest.raises(PlaybookFailed):
        rendered(alice, "{{ self }}", self="mine")


def test_the_user_of_another_agent_is_nobody_here(alice):
    other = owner_of(make_agent("other"))

    assert rendered(other, "{{ user }}") == (
        '{"narrative": "", "profile": {}, "learned": [], "tools": {}}'
    )


def test_an_agent_that_shows_no_picture_gives_none_to_templates(alice):
    alice.agent.tiers = "none"

    assert rendered(alice, "{{ user.narrative }}{{ user.profile|length }}") == "0"


ESCAPES = [
    "{{ ''.__class__.__mro__ }}",
    "{{ ''['__class__'] }}",
    "{{ user.__class__.__subclasses__() }}",
    "{{ user.narrative.upper }}",
    "{{ user.narrative.format_map }}",
    "{{ user|attr('__class__') }}",
    "{{ (user|attr)('x') }}",
    "{{ self._TemplateReference__context }}",
    "{{ self.__init__.__globals__ }}",
    "{{ loop.__init__ }}",
    "{% for x in user.learned %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% for x in user.learned %}{{ loop._iterator }}{% endfor %}",
    "{% for x in user.learned %}{{ loop }}{% endfor %}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ lipsum.__globals__ }}",
    "{{ joiner }}",
    "{{ namespace() }}",
    "{{ dict() }}",
    "{{ request.application }}",
    "{{ config }}",
    "{{ user.learned.append('x') }}",
    "{{ user.profile.clear() }}",
    "{{ '%s'|format(user) }}",
    "{{ '{0.__class__}'.format(user) }}",
    "{{ user|map(attribute='__class__')|list }}",
    "{{ user|xmlattr }}",
    "{% set user = 1 %}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% from 'os' import system %}",
    "{% extends 'x' %}",
    "{% block x %}{% endblock %}",
    "{% macro a() %}{% endmacro %}",
    "{% call user() %}{% endcall %}",
    "{% filter upper %}x{% endfilter %}",
    "{% with x = 1 %}{% endwith %}",
    "{% do user.x() %}",
    "{% autoescape true %}{% endautoescape %}",
    "{{ user.nothing }}",
    "{{ nothing }}",
    "{% for x in nothing %}{% endfor %}",
    "{{ nothing|join }}",
    "{{ nothing|upper }}",
    "{{ 7|length }}",
    "{{ 1 < 'x' }}",
    "{{ user.learned['x'] }}",
    "{{ user['learned', 1] }}",
    "{{ 1.real }}",
    "{{ user is callable }}",
    "{{ user is divisibleby(2) }}",
    "{{ user.learned|join(d=',') }}",
    "{{ user.learned|join(*user) }}",
    "{{ user.learned|counted_steps }}",
    "{{ [1, 2] }}",
    "{{ {'a': 1} }}",
    "{{",
    "{% if %}",
    "{% for x in user.learned recursive %}{{ x }}{% endfor %}",
]


# What only Python says: of its errors, its types and the nodes of a template.
PYTHONS = re.compile(
    r"object'|object at|attribute|Error|Exception|\b(str|int|dict|NoneType|Call|Mul)\b"
)


@pytest.mark.parametrize("template", ESCAPES)
def test_nothing_leaves_the_box(alice, template):
    with pytest.raises((PlaybookUnfit, PlaybookFailed)) as refused:
        rendered(alice, template)

    assert not PYTHONS.search(str(refused.value))
    assert refused.value.status == 422


LONG = "x" * 4_000
BOMBS = [
    "{{ 'a' * 1000000000 }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ 10 // 3 % 2 }}",
    "{{ -user }}",
    "{{ user ~ user }}",
    "{% for x in range(1000000) %}{% endfor %}",
    "{% for a in many %}{% for b in many %}{% endfor %}{% endfor %}",
    "{% for a in few %}{% for b in few %}{% for c in few %}{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in long %}x{% endfor %}",
    "{% for a in many %}{{ long }}{% endfor %}",
    "{{ texts|join(long) }}",
    "{{ texts|join(texts|join(long)) }}",
    "{{ 'x'|center(1000000000) }}",
    "{{ 'x'|indent(1000000000) }}",
    "{{ 'x'|replace('x', 'xx')|replace('x', 'xx') }}",
    "{{ '\\\\'" + "|tojson" * 40 + " }}",
    "{{ 'x'" + "|upper" * 45 + " }}",
    "(" * 4_000,
    "{{ " + "(" * 3_900 + "1" + ")" * 3_900 + " }}",
    "{{ " + "not " * 1_900 + "1 }}",
    "{{ " + "9" * 7_000 + " }}",
    "{{ 1e999|tojson }}" * 400 + "x" * 8_000,
    "{% if 1 %}" * 60 + "{% endif %}" * 60,
    "x" * 8_001,
]


@pytest.mark.parametrize("template", BOMBS, ids=range(len(BOMBS)))
def test_no_template_takes_long_or_grows(alice, template):
    values = {
        "long": LONG,
        "many": list(range(2_000)),
        "few": list(range(10)),
        "texts": [LONG] * 20,
    }
    began = time.monotonic()

    try:
        text = rendered(alice, template, **values)
    except (PlaybookUnfit, PlaybookFailed):
        text = ""

    assert len(text) <= 64_000
    assert text in {"", template}
    assert time.monotonic() - began < 3


def test_time_is_bounded_too():
    with pytest.raises(Failed, match="too long"):
        fill("{% for a in many %}x{% endfor %}", {"many": [1] * 100}, seconds=0)
