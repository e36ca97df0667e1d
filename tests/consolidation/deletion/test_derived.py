"""What a fact has become besides is shown before it is forgotten, and goes with it."""

import pytest

from consolidation.deletion.forget import footprint_of, forget_item
from consolidation.deletion.places.picture import PICTURE
from consolidation.deletion.trace import Deletion
from consolidation.models import ContextEvent
from inspector.person.forgetting import derived_words
from knowledge.models import ContextDocument, Fact, ScaffoldEntry
from knowledge.profile.edit import edit_profile
from tests.consolidation.profile.observed import (
    learned,
    narrative,
    observed,
    scaffold,
    speak_of_cat_and_sister,
    synthesise,
)


@pytest.fixture
def alice(porter):
    """Return alice, of whom two facts were learned in a talk and worked into her picture."""
    owner = speak_of_cat_and_sister(porter)
    synthesise(owner)
    return owner


def everything(owner) -> str:
    documents = list(ContextDocument.objects.values_list("content", flat=True))
    return str((narrative(owner), scaffold(owner), learned(owner), documents))


def picture_of(owner):
    return footprint_of(Deletion.of_facts(owner, [cat(owner)]), PICTURE)


def pointers(owner) -> set[str]:
    return {entry["path"] for entry in picture_of(owner)["scaffold"] if "value" in entry}


def cat(owner) -> Fact:
    return Fact.objects.get(owner=owner, object__contains="Minka")


def test_the_picture_and_the_documents_forget_a_fact_and_keep_the_other(alice):
    assert everything(alice).count("Minka") > 1
    others = everything(alice).count("Ana")
    assert others > 1

    forget_item(owner=alice, kind="fact", target=cat(alice).pk, actor="alice")

    assert "Minka" not in everything(alice)
    assert everything(alice).count("Ana") == others
    synthesise(alice)
    assert "Minka" not in everything(alice)


def test_what_goes_with_it_is_told_before(alice):
    words = derived_words(picture_of(alice))

    assert any("Minka" in one for one in words)
    assert not any("Ana" in one for one in words)


def test_what_was_concluded_goes_unless_something_else_bears_it_out(alice):
    fed = observed(alice, "We fed her.")
    place = {"owner": alice, "path": "/Home/Pets"}
    of_cat = ContextEvent.objects.get(key=f"fact:{cat(alice).pk}")
    edit_profile(owner=alice, part="scaffold", fields={"/Home/Pets": "one"}, actor="alice")

    ScaffoldEntry.objects.filter(**place).update(evidence=[str(of_cat.pk)])
    assert "/Home/Pets" in pointers(alice)

    ScaffoldEntry.objects.filter(**place).update(evidence=[str(of_cat.pk), str(fed.pk)])
    assert "/Home/Pets" not in pointers(alice)


def test_of_a_list_only_the_members_that_tell_it_go(alice):
    fields = {"/Home/Names": ["Minka", "Rex"]}
    edit_profile(owner=alice, part="scaffold", fields=fields, actor="alice")
    words = derived_words(picture_of(alice))

    forget_item(owner=alice, kind="fact", target=cat(alice).pk, actor="alice")

    assert "Home, Names: Minka" in words
    assert scaffold(alice)["Home"]["Names"] == ["Rex"]
