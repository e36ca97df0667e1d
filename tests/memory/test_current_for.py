import pytest

from memory.models import EmbeddingSpace
from memory.spaces import current_for

pytestmark = pytest.mark.django_db


def current(version="1"):
    return current_for(model="hashing", version=version, dimension=384)


def test_the_first_model_makes_the_current_space():
    space = current()

    assert (space.state, current()) == ("current", space)


def test_another_model_has_no_part_in_it():
    current()

    assert current("2") is None
    assert EmbeddingSpace.objects.count() == 1


def test_where_none_is_current_one_that_was_retired_is_so_again():
    retired = EmbeddingSpace.objects.create(
        model="hashing", version="1", dimension=384, state="retired"
    )

    assert current() == retired
    assert EmbeddingSpace.objects.get().state == "current"
