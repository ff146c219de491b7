"""What the two clients have in common: how a request is written, kept, judged and tried again."""

from __future__ import annotations

import json
import os
import random
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from threading import Lock
from typing import Any
from urllib.parse import quote

import httpx

from .errors import problem_from

Time = str | datetime
Query = Mapping[str, "Time | int | float | Sequence[str] | None"]

# A body larger than the whole cache is not kept; the inputs of a snapshot are the largest, at a few megabytes.
CACHE_BYTES = 16 * 1024 * 1024
# The service promises to be back within a tick; a caller that wants to wait longer says so.
LONGEST_WAIT_SECONDS = 60.0
FIRST_WAIT_SECONDS = 0.5
# Too many requests, and three statuses of a service that cannot answer now.
TRY_AGAIN = frozenset({429, 502, 503, 504})
USER_AGENT = f"gsi-client-python/{version('gsi-client')}"


def segment(value: str) -> str:
    """A value as one part of a path."""
    return quote(value, safe="")


def text_of(value: object) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time without a time zone could be any: give it one, for example datetime.now(timezone.utc)")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return str(value)


def parameters(query: Query) -> httpx.QueryParams:
    """The query to send: None is left out, a list is repeated."""
    pairs: list[tuple[str, str | int | float | bool | None]] = []
    for name, value in query.items():
        if value is None:
            continue
        many = [value] if isinstance(value, (str, int, float, datetime)) else value
        pairs += [(name, text_of(one)) for one in many]
    return httpx.QueryParams(tuple(pairs))


def settings(base_url: str | None, key: str | None) -> tuple[str, dict[str, str]]:
    """The address and the headers; what is not given comes from STABILITY_URL and STABILITY_KEY."""
    base_url = base_url or os.environ.get("STABILITY_URL")
    key = key or os.environ.get("STABILITY_KEY")
    if not base_url or not key:
        raise ValueError("an address and a key are needed: Client(base_url, key), or STABILITY_URL and STABILITY_KEY in the environment")
    return base_url.rstrip("/"), {"Authorization": f"Bearer {key}", "User-Agent": USER_AGENT}


@dataclass(frozen=True)
class Answer:
    """A body with what the service said about it."""

    body: Any
    headers: Mapping[str, str]
    from_cache: bool = False
    """The service said that the body has not changed since it was last asked for."""

    @property
    def data_status(self) -> str | None:
        """`ok`, `degraded` or `stale`: how far to trust a score."""
        return self.headers.get("gsi-data-status")

    @property
    def simulated(self) -> bool:
        return self.headers.get("gsi-simulated") == "true"

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")


class Cache:
    """Bodies by address with their ETags, the least recently used dropped first."""

    def __init__(self, capacity_bytes: int = CACHE_BYTES) -> None:
        self.capacity_bytes = capacity_bytes
        self._size = 0
        self._kept: OrderedDict[tuple[str, str], httpx.Response] = OrderedDict()
        # Threads may share a client.
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, request: httpx.Request) -> httpx.Response | None:
        with self._lock:
            kept = self._kept.get(self._place(request))
            if kept is not None:
                self._kept.move_to_end(self._place(request))
            return kept

    def put(self, request: httpx.Request, response: httpx.Response) -> None:
        if "etag" not in response.headers or len(response.content) > self.capacity_bytes:
            return
        with self._lock:
            old = self._kept.pop(self._place(request), None)
            self._size += len(response.content) - (len(old.content) if old is not None else 0)
            self._kept[self._place(request)] = response
            while self._size > self.capacity_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped.content)

    @staticmethod
    def _place(request: httpx.Request) -> tuple[str, str]:
        return str(request.url), request.headers.get("accept", "")


def retry_after(response: httpx.Response) -> float | None:
    """The seconds that the service asks to wait, which may be given as a date."""
    said = response.headers.get("retry-after", "")
    if said.isdigit():
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None


def wait_before(attempt: int, response: httpx.Response | None, max_retries: int) -> float | None:
    """Seconds to wait before the attempt after this one (the first is 0); None when it is not worth one."""
    if attempt >= max_retries or (response is not None and response.status_code not in TRY_AGAIN):
        return None
    asked = retry_after(response) if response is not None else None
    if asked is not None:
        return asked if asked <= LONGEST_WAIT_SECONDS else None
    # Apart from each other, so that many clients do not come back at once.
    return float(min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**attempt) * random.uniform(0.5, 1.0))


def conditional(request: httpx.Request, kept: httpx.Response | None) -> None:
    if kept is not None:
        request.headers["If-None-Match"] = kept.headers["etag"]


def answer_from(response: httpx.Response, kept: httpx.Response | None) -> Answer:
    """The body, or the kept one when it is still the same; raises the problem that the service reported."""
    unchanged = response.status_code == 304 and kept is not None
    if not response.is_success and not unchanged:
        raise problem_from(response, retry_after(response))
    source = kept if unchanged and kept is not None else response
    headers = {**source.headers, **response.headers}
    media = source.headers.get("content-type", "").split(";")[0]
    if media.endswith("json"):
        return Answer(json.loads(source.content), headers, unchanged)
    return Answer(source.content if media.startswith("image/") else source.text, headers, unchanged)
