from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from gsi_client import AsyncClient, Client, Unauthorized
from gsi_client._stream import Decoder
from gsi_client.models import StreamMessage

TICK = 'id: {}\nevent: tick\ndata: {{"as_of":"2026-11-14T23:45:00Z","events":0,"events_left_out":0}}\n\n'


def until_ticks(client: Client, count: int, last_event_id: str | None = None) -> list[StreamMessage]:
    seen: list[StreamMessage] = []
    for message in client.stream(last_event_id):
        seen.append(message)
        if sum(one["event"] == "tick" for one in seen) == count:
            break
    return seen


def test_the_stream_says_how_things_stand_and_goes_on(client: Client) -> None:
    seen = until_ticks(client, 2)
    standing = next(message for message in seen if message["event"] == "snapshot")
    assert standing["data"]["simulated"] and 0 <= standing["data"]["score"] <= 100
    first, second = (message for message in seen if message["event"] == "tick")
    # From the first tick on, the same again.
    assert first["id"] and until_ticks(client, 1, first["id"])[-1] == second


def test_the_stream_can_be_awaited() -> None:
    async def first_tick() -> str | None:
        async with AsyncClient() as client:
            async for message in client.stream():
                if message["event"] == "tick":
                    return message["id"]
        return None

    assert asyncio.run(first_tick())


def test_a_lost_stream_goes_on_from_the_last_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    asked: list[str | None] = []

    def broken() -> Iterator[bytes]:
        yield (TICK.format(100) + "event: snapshot\ndata: {half").encode()
        raise httpx.ReadError("cut off")

    def service(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("last-event-id"))
        answers = [
            httpx.Response(200, content=broken()),
            httpx.Response(503, headers={"Retry-After": "9"}),
            httpx.Response(200, text=TICK.format(200)),
            httpx.Response(401),
        ]
        return answers[len(asked) - 1]

    client = Client("http://service", "gsi_test", transport=httpx.MockTransport(service))
    seen: list[str | None] = []
    with pytest.raises(Unauthorized):
        for message in client.stream():
            seen.append(message["id"])
    assert seen == ["100", "200"]
    assert asked == [None, "100", "100", "200"]
    assert waits == [1.0, 9.0, 1.0]


def test_lines_end_in_three_ways_and_in_no_other() -> None:
    text = ": hello\r\nretry: 2000\r\revent: reset\ndata: {\"as_of\":\ndata: \"a\u2028b\u0085\"}\n\nevent: news\ndata: 1\n\n"
    for size in (1, 2, 3, 1000):
        decoder = Decoder()
        raw = text.encode()
        found = [message for start in range(0, len(raw), size) for message in decoder.feed(raw[start : start + size])]
        assert found == [{"event": "reset", "id": None, "data": {"as_of": "a\u2028b\u0085"}}]
        assert decoder.pause_seconds == 2.0
