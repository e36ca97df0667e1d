"""Facts in plain words (pure)."""

import pytest

from inspector.person.wording import said


@pytest.mark.parametrize(
    ("subject_type", "predicate", "object_", "words"),
    [
        ("User", "KNOWS", "trout", "Knows trout"),
        ("User", "EXPERIENCED", "lives in Lisbon", "Lives in Lisbon"),
        ("User", "PARTICIPATED_IN", "works: nurse", "Works: nurse"),
        ("User", "USES", "islands", "Uses islands"),
        ("Person", "EXPERIENCED", "lives in Lisbon", "bob lives in Lisbon"),
        ("Person", "KNOWS", "trout", "bob knows trout"),
    ],
)
def test_a_fact_is_one_sentence_with_one_verb(subject_type, predicate, object_, words):
    fields = {"subject_type": subject_type, "predicate": predicate, "object": object_}

    assert said({"subject": "bob", **fields}) == words
