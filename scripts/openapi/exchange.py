"""One exchange with the running service, and what httplint says of the answer."""

from __future__ import annotations

import http.client
import os
from collections import Counter
from email.utils import parsedate_to_datetime
from typing import Iterator, NamedTuple
from urllib.parse import urlsplit

from accepted import Finding
from httplint import HttpRequestLinter, HttpResponseLinter
from httplint.note import Note, levels

ADDRESS = urlsplit(os.environ["STABILITY_URL"])
SHOWN_OF_A_TARGET = 80

Fields = list[tuple[str, str]]
# What only repeats that the service refused what was sent in order to be refused.
SAYS_THE_STATUS = {"STATUS_BAD_REQUEST", "STATUS_URI_TOO_LONG"}
findings: list[Finding] = []
# How many answers were read, by who asked.
asked: Counter[str] = Counter()


class Answer(NamedTuple):
    # Who asked, method, target and status.
    where: str
    # By names in lower case.
    headers: dict[str, str]
    # Nothing of a stream, which does not end.
    body: bytes
    is_stream: bool


def report(where: str, rule: str, words: str) -> None:
    """An error that is found here and not by the linter."""
    findings.append(Finding("httplint", True, rule, where, words))


def ask(who: str, method: str, target: str, headers: dict[str, str], want: int, body: bytes = b"") -> Answer:
    """Asks, has the answer read, and reports another status than the one that is wanted."""
    connection = http.client.HTTPConnection(ADDRESS.hostname, ADDRESS.port, timeout=30)
    sent = {"Host": ADDRESS.netloc, "User-Agent": "contract", **headers}
    if body:
        sent["Content-Length"] = str(len(body))
    connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders(body or None)
    response = connection.getresponse()
    is_stream = response.getheader("content-type", "").startswith("text/event-stream")
    content = b"" if is_stream else response.read()
    connection.close()
    where = f"{who} {method} {target[:SHOWN_OF_A_TARGET]} {response.status}"
    fields = response.getheaders()
    if response.status != want:
        report(where, "STATUS", f"{want} was expected")
    asked[who] += 1
    request = request_linter(method, target, sent)
    for note in read(request, response, fields, None if is_stream else content):
        rule, words = type(note).__name__, f"{note.subject}: {note.summary}"
        if note.level in (levels.BAD, levels.WARN) and rule not in SAYS_THE_STATUS:
            findings.append(Finding("httplint", note.level is levels.BAD, rule, where, words))
    return Answer(where, {name.lower(): response.getheader(name) for name, _ in fields}, content, is_stream)


def raw(fields: Fields) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields]


def request_linter(method: str, target: str, sent: dict[str, str]) -> HttpRequestLinter:
    """The request, by which the answer is judged."""
    request = HttpRequestLinter()
    request.process_request_topline(method.encode(), target.encode(), b"HTTP/1.1")
    request.process_headers(raw(list(sent.items())))
    return request


def read(
    request: HttpRequestLinter, response: http.client.HTTPResponse, fields: Fields, content: bytes | None
) -> Iterator[Note]:
    """All that the linter has to say."""
    # The demo has a simulated clock, so its answers are read at that time.
    date = response.getheader("date")
    now = parsedate_to_datetime(date).timestamp() if date else None
    linter = HttpResponseLinter(start_time=now, no_content=content is None)
    linter.request, linter.base_uri = request, ADDRESS.geturl() + (request.uri or "")
    linter.is_head_response = request.method == "HEAD"
    linter.process_response_topline(b"HTTP/1.1", str(response.status).encode(), response.reason.encode())
    linter.process_headers(raw(fields))
    linter.feed_content(content or b"")
    linter.finish_content(True)
    for note in linter.notes:
        yield note
        yield from note.subnotes
