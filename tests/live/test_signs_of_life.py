"""What a running installation tells of itself."""

import json
import os
import signal
import time
import urllib.error
import urllib.request

import pytest

from tests.live.installation import Installation

pytestmark = pytest.mark.timeout(240)


def read(installation: Installation, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{installation.port}/{path}") as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def is_ready(installation: Installation) -> bool:
    return read(installation, "health/ready")[0] == 200


def test_requests_are_counted_over_all_web_processes(installation):
    for _ in range(60):
        read(installation, "health/live")

    _, text = read(installation, "metrics")

    series = 'recollect_requests_total{method="GET",route="/health/live",status="2xx"} 60.0'
    assert series in text
    assert len(list((installation.data / "traffic").glob("*/counter_*.db"))) > 1


def test_it_is_not_ready_ten_seconds_after_the_workers_died(installation):
    installation.wait_until(lambda: is_ready(installation), 30)
    workers = [pid for pid in installation.processes() if runs_jobs(pid)]
    assert len(workers) > 2

    # Stopped and not killed: the supervisor would start killed ones again at once.
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(10)
        status, text = read(installation, "health/ready")
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)

    assert status == 503
    assert json.loads(text)["checks"]["workers"] is False
    installation.wait_until(lambda: is_ready(installation), 30)


def runs_jobs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as command:
            return b"qcluster" in command.read()
    except OSError:
        return False
