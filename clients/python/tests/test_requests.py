"""What happens between a call and its answer: caching, trying again, problems. Some with a stand-in for the service, for
what a healthy one does not do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import httpx
import pytest

from gsi_client import (
    AsyncClient,
    BadRequest,
    Cache,
    Client,
    ConnectionFailed,
    NotFound,
    ProblemError,
    RateLimited,
    Unauthorized,
    Unavailable,
)

Handler = Callable[[httpx.Request], httpx.Response]


def standing_in(handler: Handler, max_retries: int = 3) -> Client:
    return Client("http://service", "gsi_test", transport=httpx.MockTransport(handler), max_retries=max_retries)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited, without waiting."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("asyncio.sleep", sleep)
    return waited


def test_an_unchanged_answer_is_not_sent_again(client: Client) -> None:
    as_of = client.get_global_stability()["as_of"]
    with Client() as fresh:
        first = fresh.get("/v1/global-stability/explain", {"as_of": as_of})
        second = fresh.get("/v1/global-stability/explain", {"as_of": as_of})
        assert (first.from_cache, second.from_cache) == (False, True)
        assert first.body == second.body
        assert second.data_status in ("ok", "degraded", "stale") and second.simulated and second.request_id


def test_a_caller_may_change_what_it_was_given() -> None:
    def service(request: httpx.Request) -> httpx.Response:
        if request.headers.get("if-none-match") == '"1"':
            return httpx.Response(304)
        return httpx.Response(200, json={"list": [1]}, headers={"ETag": '"1"'})

    client = standing_in(service)
    client.get("/v1/feeds").body["list"].clear()
    assert client.get("/v1/feeds").body == {"list": [1]}


def test_the_cache_is_bounded() -> None:
    client = standing_in(lambda request: httpx.Response(200, json="x" * 400, headers={"ETag": '"1"'}))
    client.cache = Cache(capacity_bytes=1000)
    for day in range(1, 10):
        client.get("/v1/global-stability", {"as_of": f"2026-11-0{day}T00:00:00Z"})
    assert len(client.cache) == 2


RETRIES = [
    # status, Retry-After, what is waited before the second attempt
    (429, "7", 7.0),
    (503, "2", 2.0),
    (502, None, None),
    (504, "not a number", None),
]


@pytest.mark.parametrize(("status", "header", "expected"), RETRIES)
def test_trying_again(status: int, header: str | None, expected: float | None, waits: list[float]) -> None:
    answers = [httpx.Response(status, headers={"Retry-After": header} if header else {}), httpx.Response(200, json={"score": 1})]
    client = standing_in(lambda request: answers.pop(0))
    assert client.get("/v1/global-stability").body == {"score": 1}
    (waited,) = waits
    assert waited == expected if expected else 0.2 < waited <= 0.5


def test_a_date_says_when_to_come_back(waits: list[float]) -> None:
    later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
    answers = [httpx.Response(503, headers={"Retry-After": later}), httpx.Response(200, json={})]
    standing_in(lambda request: answers.pop(0)).get("/v1/feeds")
    assert 15 < waits[0] <= 20


def test_trying_again_ends(waits: list[float]) -> None:
    asked: list[httpx.Request] = []

    def down(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise httpx.ConnectError("refused")

    with pytest.raises(ConnectionFailed, match="refused"):
        standing_in(down, max_retries=2).get_summary()
    assert (len(asked), len(waits)) == (3, 2)

    async def awaited() -> None:
        async with AsyncClient("http://service", "gsi_test", max_retries=2, transport=httpx.MockTransport(down)) as client:
            await client.get_summary()

    with pytest.raises(ConnectionFailed):
        asyncio.run(awaited())
    assert (len(asked), len(waits)) == (6, 4)


def test_a_wait_that_is_too_long_is_told_at_once(waits: list[float]) -> None:
    with pytest.raises(RateLimited) as raised:
        standing_in(lambda request: httpx.Response(429, headers={"Retry-After": "3600"})).get_summary()
    assert (raised.value.retry_after, waits) == (3600.0, [])


def test_a_proxy_s_page_is_a_problem_too(waits: list[float]) -> None:
    with pytest.raises(Unavailable) as raised:
        standing_in(lambda request: httpx.Response(502, text="<html>"), max_retries=0).get_summary()
    assert raised.value.code == "unknown"


def test_problems_are_exceptions(client: Client) -> None:
    rows: list[tuple[Callable[[], object], type[ProblemError], str]] = [
        (lambda: client.list_briefings(limit=1000), BadRequest, "invalid_parameter"),
        (lambda: client.list_briefings(cursor="x" * 96), BadRequest, "invalid_cursor"),
        (lambda: client.get("/v1/global-stability/pillar/weather"), NotFound, "unknown_pillar"),
        (lambda: client.get_global_stability(as_of="2001-01-01T00:00:00Z"), NotFound, "no_snapshot"),
        (lambda: client.get_conflict_event("../feeds"), NotFound, "not_found"),
        (lambda: Client(client.base_url, "gsi_wrong").get_summary(), Unauthorized, "invalid_credentials"),
    ]
    for call, kind, code in rows:
        with pytest.raises(kind) as raised:
            call()
        assert (raised.value.code, len(raised.value.request_id or "")) == (code, 16)
    with pytest.raises(BadRequest) as refused:
        client.list_briefings(limit=1000)
    assert refused.value.errors[0]["parameter"] == "limit"


def test_times_need_a_zone(client: Client) -> None:
    now = datetime.fromisoformat(client.get_global_stability()["as_of"])
    assert client.get_global_stability(as_of=now.astimezone(timezone(timedelta(hours=-5))))["as_of"]
    with pytest.raises(ValueError, match="time zone"):
        client.get_global_stability(as_of=now.replace(tzinfo=None))


def test_a_key_is_not_shown_and_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gsi_secret" not in repr(Client("http://service", "gsi_secret"))
    monkeypatch.delenv("STABILITY_KEY")
    with pytest.raises(ValueError, match="STABILITY_KEY"):
        Client()
