import re

import pytest

pytestmark = pytest.mark.django_db


def counts(client) -> dict[str, float]:
    """Return what has been counted so far, by the series' name and labels."""
    lines = client.get("/metrics").content.decode().splitlines()
    found = [re.fullmatch(r"(recollect_request\S+) (\S+)", line) for line in lines]
    return {match[1]: float(match[2]) for match in found if match}


def grown(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {name: n - before.get(name, 0) for name, n in after.items() if n > before.get(name, 0)}


def requests(route: str, method: str, status: str) -> str:
    return f'recollect_requests_total{{method="{method}",route="{route}",status="{status}"}}'


def test_requests_are_counted_by_route_method_and_class_of_status(api):
    before = counts(api)
    api.get("/api/v1/sessions")
    api.post("/api/v1/sessions", {}, format="json")
    api.get("/api/v1/sessions/01a1fc16-b108-7283-92fb-dd5eeee93618")

    more = grown(before, counts(api))

    assert more[requests("/api/v1/sessions", "GET", "2xx")] == 1
    assert more[requests("/api/v1/sessions", "POST", "4xx")] == 1
    assert more[requests("/api/v1/sessions/<uuid:session>", "GET", "4xx")] == 1


def test_the_time_of_each_is_in_a_histogram(client):
    before = counts(client)
    client.get("/health/live")

    more = grown(before, counts(client))

    assert more['recollect_request_seconds_count{method="GET",route="/health/live"}'] == 1
    bucket = 'recollect_request_seconds_bucket{le="+Inf",method="GET",route="/health/live"}'
    assert more[bucket] == 1


def test_no_address_and_no_method_makes_a_label_of_its_own(client):
    before = counts(client)
    for number in range(3):
        client.get(f"/nothing/{number}")
        client.generic(f"GET{number}", "/health/live")

    more = grown(before, counts(client))

    assert more[requests("none", "GET", "4xx")] == 3
    assert more[requests("/health/live", "other", "4xx")] == 3
    assert not any("nothing" in name for name in more)
