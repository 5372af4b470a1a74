"""What a client sees when the model fails or is busy: the right status for one request, and 200 for the next."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor

import pytest
from desks import POISON, plant, write_poisoned
from serving import REQUEST, served, wait_until

from clef_mlx.serve import logs
from clef_mlx.serve.server import OPEN_FILES

LONG = {**REQUEST, "state": "The heating is off and nobody comes. " * 300}


def test_a_planted_exception_is_500_once(tiny_release, monkeypatch):
    with served(tiny_release) as server:
        with monkeypatch.context() as planted:
            plant(planted, lambda record: True)
            broken = server.ask()
        assert broken.status_code == 500
        assert broken.json()["detail"]["error_type"] == "model_error"
        assert "planted" not in broken.text
        assert server.ask().status_code == 200
        assert server.client.get("/ready").status_code == 200


@pytest.mark.parametrize("path", ["/v1/systemone", "/client/v4/accounts/me/ai/run/@cf/cloudflare/clef"])
def test_nan_is_500_for_the_request_that_meets_it(path, tmp_path):
    with served(write_poisoned(tmp_path / "poisoned")) as server, ThreadPoolExecutor(4) as clients:
        states = [REQUEST["state"], REQUEST["state"] + POISON, "It is warm.", REQUEST["state"]]
        bodies = [{**REQUEST, "state": state} for state in states]
        answers = list(clients.map(lambda body: server.ask(body, path), bodies))
        assert [answer.status_code for answer in answers] == [200, 500, 200, 200]
        assert server.ask(path=path).status_code == 200


def test_a_full_line_is_429_with_the_time_to_come_again(tiny_release):
    with served(tiny_release, queue=1) as server, ThreadPoolExecutor(2) as clients:
        running = clients.submit(server.ask, LONG)
        wait_until(lambda: server.desk._worker.running)
        waiting = clients.submit(server.ask)
        wait_until(lambda: len(server.desk._line))
        refused = server.ask()
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert [running.result().status_code, waiting.result().status_code] == [200, 200]


def test_three_faults_are_not_ready_and_one_decision_is(tiny_release, monkeypatch):
    with served(tiny_release) as server:
        with monkeypatch.context() as planted:
            plant(planted, lambda record: True)
            assert {server.ask().status_code for _ in range(3)} == {500}
            down = server.client.get("/ready")
        assert (down.status_code, "retry-after" in down.headers) == (503, True)
        assert server.ask().status_code == 200
        assert server.client.get("/ready").status_code == 200


def test_metrics_tell_of_requests_by_phase_and_status(tiny_release):
    with served(tiny_release) as server:
        server.ask()
        server.ask({"state": "no questions"})
        text = server.client.get("/metrics").text
    for phase in ("read", "queue", "encode", "model"):
        assert f'clef_phase_seconds_count{{phase="{phase}"}}' in text
    for status in (200, 422):
        assert f'clef_responses_total{{route="systemone",status="{status}"}}' in text


def test_complaints_of_the_event_loop_are_one_line_a_second(caplog):
    tell = logs.LoopFaults()
    logs.LOGGER.propagate = True  # a server that was started in this process took it
    for _ in range(1000):
        tell(None, {"message": "socket.accept() out of system resource", "exception": OSError("state of a request")})
    assert len(caplog.records) == 1
    facts = caplog.records[0].facts
    assert (facts["error"], facts["reason"]) == ("OSError", "socket.accept() out of system resource")
    assert "state of a request" not in str(facts)


def test_more_connections_than_a_shell_allows_are_served(tiny_release):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, soft), hard))
    try:
        with served(tiny_release):
            raised = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert raised == hard or raised >= OPEN_FILES
