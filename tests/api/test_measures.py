import pytest
from django.utils import timezone

from consolidation.models import DailyMeasure
from tests.conftest import client_of
from tests.factories import make_session

URL = "/api/v1/measures"


@pytest.fixture
def owner(porter):
    found = make_session(porter).owner
    day = timezone.now().date()
    DailyMeasure.objects.create(owner=found, day=day, name="corrections", part=1, whole=3)
    return found


def test_it_shows_each_measure_by_day(operator_api, owner):
    found = operator_api.get(URL).json()["measures"]

    (point,) = found["corrections"]
    assert (point["part"], point["whole"], point["value"]) == (1, 3, 0.3333)
    assert found["utilisation"] == []


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("agent=porter", 1),
        ("agent=other", 0),
        ("agent=porter&user=alice", 1),
        ("agent=porter&user=charlie", 0),
        ("since=2020-01-01&until=2020-02-01", 0),
    ],
)
def test_it_keeps_what_is_asked_for(operator_api, owner, query, count):
    assert len(operator_api.get(f"{URL}?{query}").json()["measures"]["corrections"]) == count


@pytest.mark.parametrize(
    "query",
    [
        "since=2020-01-01",
        "until=0001-01-01",
        "since=tomorrow",
        "user=alice",
        "since=2026-02-01&until=2026-01-01",
    ],
)
def test_it_refuses_what_makes_no_sense(operator_api, query):
    assert operator_api.get(f"{URL}?{query}").status_code == 422


def test_it_is_the_operator_s(porter):
    assert client_of(porter).get(URL).status_code == 403


def test_another_organization_s_days_are_not_added(operator_api, rival):
    other = make_session(rival).owner
    day = timezone.now().date()
    DailyMeasure.objects.create(owner=other, day=day, name="corrections", part=1, whole=1)

    assert operator_api.get(URL).json()["measures"]["corrections"] == []
