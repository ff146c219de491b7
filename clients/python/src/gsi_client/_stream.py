"""Server-sent events, as the HTML standard has them, and when to connect again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from .errors import GsiError
from .models import STREAM_EVENTS, StreamMessage

# The service says something at least every 15 seconds; three times that without a word is a dead connection.
SILENCE_SECONDS = 45.0
# A message is one event or one briefing; what is larger is not from this service.
LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0


class Decoder:
    """Turns bytes into messages. Lines end with CR, LF or both, and with nothing else:
    a text may hold the other line separators of Unicode."""

    def __init__(self, last_event_id: str | None = None) -> None:
        self.last_event_id = last_event_id
        self.pause_seconds = FIRST_PAUSE_SECONDS
        self._failures = 0
        self.connected()

    def connected(self) -> None:
        """What was half said on the connection before is forgotten."""
        self._rest = b""
        self._after_return = False
        self._event = ""
        self._data: list[str] = []
        self._id: str | None = None

    def feed(self, chunk: bytes) -> Iterator[StreamMessage]:
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r") if chunk else self._after_return
        lines = (self._rest + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LARGEST_MESSAGE_BYTES:
            raise GsiError("the stream sent a line that is too long to be a message")
        for line in lines:
            message = self._line(line.decode("utf-8", "replace"))
            if message is not None:
                self._failures = 0
                yield message

    def _line(self, line: str) -> StreamMessage | None:
        if not line:
            return self._message()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.pause_seconds = min(LONGEST_PAUSE_SECONDS, int(value) / 1000)
        return None

    def _message(self) -> StreamMessage | None:
        event, data, id = self._event, self._data, self._id
        self._event, self._data, self._id = "", [], None
        if id is not None:
            self.last_event_id = id
        # Kinds that this version does not know yet are passed over.
        if not data or event not in STREAM_EVENTS:
            return None
        body: Any = json.loads("\n".join(data))
        return cast(StreamMessage, {"event": event, "id": id, "data": body})

    def headers(self) -> dict[str, str]:
        ours = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        return {**ours, "Last-Event-ID": self.last_event_id} if self.last_event_id else ours

    def pause(self) -> float:
        """Seconds until the next connection: more with every one that brought nothing."""
        seconds = min(LONGEST_PAUSE_SECONDS, self.pause_seconds * 2.0**self._failures)
        self._failures = min(self._failures + 1, 10)
        return float(seconds)
