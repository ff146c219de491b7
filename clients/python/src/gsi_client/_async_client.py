"""The client whose answers are awaited. The same as the other, line by line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import httpx

from ._async_operations import AsyncOperations
from ._request import (
    LONGEST_WAIT_SECONDS,
    TRY_AGAIN,
    Answer,
    Cache,
    Query,
    answer_from,
    conditional,
    parameters,
    retry_after,
    settings,
    wait_before,
)
from ._stream import SILENCE_SECONDS, Decoder
from .errors import ConnectionFailed, problem_from
from .models import StreamMessage

JSON = "application/json"


class AsyncClient(AsyncOperations):
    """Reads one service with one key; without arguments, the one that STABILITY_URL and STABILITY_KEY name.

    May be shared between tasks. `transport` is for tests and for those who bring their own."""

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        cache: Cache | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.base_url, headers = settings(base_url, key)
        self.max_retries = max_retries
        self.cache = Cache() if cache is None else cache
        self._http = httpx.AsyncClient(base_url=self.base_url, headers=headers, timeout=timeout, transport=transport)

    def __repr__(self) -> str:
        return f"AsyncClient({self.base_url!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def get(self, path: str, query: Query | None = None, media: str = JSON) -> Answer:
        """Any resource, with its headers: `(await client.get("/v1/global-stability")).data_status`."""
        accept = {"Accept": f"{media}, application/problem+json"}
        request = self._http.build_request("GET", path, params=parameters(query or {}), headers=accept)
        kept = self.cache.get(request)
        conditional(request, kept)
        response = await self._send(request)
        answer = answer_from(response, kept)
        if not answer.from_cache:
            self.cache.put(request, response)
        return answer

    async def _send(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(self.max_retries + 1):
            response: httpx.Response | None = None
            try:
                response = await self._http.send(request)
                wait = wait_before(attempt, response, self.max_retries)
                if wait is None:
                    return response
            except httpx.TransportError as error:
                wait = wait_before(attempt, None, self.max_retries)
                if wait is None:
                    raise ConnectionFailed(f"{self.base_url}: {error or type(error).__name__}") from error
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _body(self, path: str, query: Query, media: str) -> Any:
        return (await self.get(path, query, media)).body

    async def _items(self, path: str, key: str, query: Query) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            page = await self._body(path, {**query, "cursor": cursor}, JSON)
            for item in page[key]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def stream(self, last_event_id: str | None = None, *, reconnect: bool = True) -> AsyncIterator[StreamMessage]:
        """Everything when it is published. Resumes after a lost connection from the last complete tick, so a
        message may come twice and none is left out; after a `reset`, ask again for what you built from messages.

        To go on after a restart, keep the `id` of the last `tick` and give it back."""
        decoder = Decoder(last_event_id)
        timeout = httpx.Timeout(self._http.timeout.connect, read=SILENCE_SECONDS)
        while True:
            wait = None
            try:
                async with self._http.stream("GET", "/stream", headers=decoder.headers(), timeout=timeout) as response:
                    if response.is_success:
                        decoder.connected()
                        async for chunk in response.aiter_bytes():
                            for message in decoder.feed(chunk):
                                yield message
                    else:
                        await response.aread()
                        if not reconnect or response.status_code not in TRY_AGAIN:
                            raise problem_from(response, retry_after(response))
                        wait = retry_after(response)
            except httpx.TransportError as error:
                if not reconnect:
                    raise ConnectionFailed(f"{self.base_url}: {error or type(error).__name__}") from error
            if not reconnect:
                return
            await asyncio.sleep(min(LONGEST_WAIT_SECONDS, max(wait or 0.0, decoder.pause())))
