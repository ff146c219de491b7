"""The client that waits for its answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx

from ._operations import Operations
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


class Client(Operations):
    """Reads one service with one key; without arguments, the one that STABILITY_URL and STABILITY_KEY name.

    May be shared between threads. `transport` is for tests and for those who bring their own."""

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        cache: Cache | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url, headers = settings(base_url, key)
        self.max_retries = max_retries
        self.cache = Cache() if cache is None else cache
        self._http = httpx.Client(base_url=self.base_url, headers=headers, timeout=timeout, transport=transport)

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, query: Query | None = None, media: str = JSON) -> Answer:
        """Any resource, with its headers: `client.get("/v1/global-stability").data_status`."""
        accept = {"Accept": f"{media}, application/problem+json"}
        request = self._http.build_request("GET", path, params=parameters(query or {}), headers=accept)
        kept = self.cache.get(request)
        conditional(request, kept)
        response = self._send(request)
        answer = answer_from(response, kept)
        if not answer.from_cache:
            self.cache.put(request, response)
        return answer

    def _send(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(self.max_retries + 1):
            response: httpx.Response | None = None
            try:
                response = self._http.send(request)
                wait = wait_before(attempt, response, self.max_retries)
                if wait is None:
                    return response
            except httpx.TransportError as error:
                wait = wait_before(attempt, None, self.max_retries)
                if wait is None:
                    raise ConnectionFailed(f"{self.base_url}: {error or type(error).__name__}") from error
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _body(self, path: str, query: Query, media: str) -> Any:
        return self.get(path, query, media).body

    def _items(self, path: str, key: str, query: Query) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self._body(path, {**query, "cursor": cursor}, JSON)
            yield from page[key]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def stream(self, last_event_id: str | None = None, *, reconnect: bool = True) -> Iterator[StreamMessage]:
        """Everything when it is published. Resumes after a lost connection from the last complete tick, so a
        message may come twice and none is left out; after a `reset`, ask again for what you built from messages.

        To go on after a restart, keep the `id` of the last `tick` and give it back."""
        decoder = Decoder(last_event_id)
        timeout = httpx.Timeout(self._http.timeout.connect, read=SILENCE_SECONDS)
        while True:
            wait = None
            try:
                with self._http.stream("GET", "/stream", headers=decoder.headers(), timeout=timeout) as response:
                    if response.is_success:
                        decoder.connected()
                        for chunk in response.iter_bytes():
                            yield from decoder.feed(chunk)
                    else:
                        response.read()
                        if not reconnect or response.status_code not in TRY_AGAIN:
                            raise problem_from(response, retry_after(response))
                        wait = retry_after(response)
            except httpx.TransportError as error:
                if not reconnect:
                    raise ConnectionFailed(f"{self.base_url}: {error or type(error).__name__}") from error
            if not reconnect:
                return
            time.sleep(min(LONGEST_WAIT_SECONDS, max(wait or 0.0, decoder.pause())))
