"""Asks the running service for everything it offers, in every way that caches and clients ask, and has httplint read each answer. What
one answer cannot show is compared here: a 304 and the answer to HEAD with the 200 they stand for."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Iterator

import known
from accepted import judge
from exchange import Answer, ask, asked, findings, report

STRANGER: dict[str, str] = {}
MEDIA_TYPES = {"json": "application/json", "geojson": "application/geo+json", "csv": "text/csv"}
# What differs from one request to the next, whatever is asked.
PERSONAL = ["date", "ratelimit", "x-request-id"]
# What a 304 has of the headers of its 200 (RFC 9110, 15.4.5).
KEPT_BY_304 = ["cache-control", "content-location", "etag", "expires", "vary"]
# Differ from one request to the next because something has happened in between.
RESTLESS = ["/v1/feeds"]
RESTLESS_HEADERS = ["content-length", "etag", "last-modified"]
PAGES = ["/", "/?embed=gauge", "/docs", "/method", "/validation", "/problems", "/problems/not_found"]
FILES = ["/openapi.json", "/llms.txt", "/favicon.svg", "/icon-192.png", "/manifest.webmanifest", "/sw.js"]
STATE = ["/healthz", "/readyz"]
# What anybody may read of what an operator has published.
PUBLIC = ["/v1/global-stability", "/v1/summaries", "/v1/briefings", "/v1/countries", "/card.png", "/badge.svg", "/briefings.atom"]


def mint(*arguments: str) -> dict[str, str]:
    """The header that carries a key."""
    command = [os.environ["SERVICE_PROGRAM"], "key", "create", "--name", "contract", "--data", os.environ["SERVICE_DATA"]]
    key = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout.strip()
    return {"Authorization": f"Bearer {key}"}


# Only this test is in a hurry.
KEY = mint("--rate", "100000/min")


def resource(who: str, target: str, headers: dict[str, str]) -> None:
    """A resource in all the ways it can be asked for."""
    plain = form(who, target, headers)
    if plain.is_stream:
        return
    head = ask(who, "HEAD", target, headers, 200)
    compare(head, plain, sorted((plain.headers.keys() | head.headers.keys()) - set(PERSONAL)))
    if "last-modified" in plain.headers and target not in RESTLESS:
        unchanged = ask(who, "GET", target, headers | {"If-Modified-Since": plain.headers["last-modified"]}, 304)
        compare(unchanged, plain, KEPT_BY_304)
    for encoding in ["gzip", "br", "zstd"]:
        packed = form(who, target, headers | {"Accept-Encoding": encoding})
        if packed.headers.get("content-encoding", encoding) != encoding:
            report(packed.where, "ENCODING", f"it is in {packed.headers['content-encoding']}")
        if "content-encoding" in packed.headers:
            depends_on("accept-encoding", packed)
            if packed.headers.get("etag") == plain.headers.get("etag", ""):
                report(packed.where, "ENCODING", "other bytes have the tag of the plain ones")


def form(who: str, target: str, headers: dict[str, str]) -> Answer:
    """A resource in one form, and a conditional request for the same form."""
    full = ask(who, "GET", target, headers, 200)
    if "etag" in full.headers:
        tag = "*" if target in RESTLESS else full.headers["etag"]
        unchanged = ask(who, "GET", target, headers | {"If-None-Match": tag}, 304)
        compare(unchanged, full, KEPT_BY_304)
    return full


def compare(answer: Answer, full: Answer, names: list[str]) -> None:
    for name in names:
        if name in RESTLESS_HEADERS and any(f" {target} " in answer.where for target in RESTLESS):
            continue
        # A second may pass in between.
        have, want = (re.sub("max-age=[0-9]+", "max-age", a.headers.get(name, "not there")) for a in (answer, full))
        if have != want:
            report(answer.where, "AS_ON_200", f"{name} is {have}, on the 200 it is {want}")


def depends_on(header: str, answer: Answer) -> None:
    """`Vary` names this header, whose value changes the answer (RFC 9110, 12.5.5)."""
    if header not in re.split(r",\s*", answer.headers.get("vary", "").lower()):
        report(answer.where, "VARY", f"{header} is not in Vary")


def operations() -> Iterator[tuple[str, list[str]]]:
    """Every path of the document, with something that exists put in, and the forms that its answer comes in."""
    ids = known.by_path()
    for path, item in known.get("/openapi.json")["paths"].items():
        target = re.sub(r"\{(\w+)\}", lambda found: ids.get(path) or ids[found.group(1)], path)
        forms = [p["schema"]["enum"] for p in item["get"]["parameters"] if p["name"] == "format"]
        yield target, forms[0] if forms else []


def what_keys_read() -> None:
    for target, forms in operations():
        resource("keyed", target, KEY)
        for name in forms:
            form("keyed", f"{target}?format={name}", KEY)
            accepted = form("keyed", target, KEY | {"Accept": MEDIA_TYPES[name]})
            depends_on("accept", accepted)


def what_anybody_reads() -> None:
    page = ask("stranger", "GET", "/", STRANGER, 200).body.decode()
    assets = sorted(set(re.findall(r'"(/assets/[^"]+)"', page)))
    for target in PAGES + FILES + assets + STATE + PUBLIC:
        resource("stranger", target, STRANGER)


def refusals() -> None:
    unknown = {"Authorization": "Bearer gsi_nonsense"}
    narrow, slow = mint("--scope", "events:read"), mint("--rate", "1/min")
    origin = {"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}
    rows = [
        ("GET", "/v1/conflict?limit=0", KEY, 400),
        ("GET", "/v1/conflict?no_such_parameter=1", KEY, 400),
        ("GET", "/v1/conflict", STRANGER, 401),
        ("GET", "/v1/conflict", unknown, 401),
        ("GET", "/alerts.atom", STRANGER, 401),
        ("OPTIONS", "/v1/conflict", origin, 401),
        ("GET", "/v1/alerts", narrow, 403),
        ("GET", "/v1/nothing", KEY, 404),
        ("HEAD", "/v1/nothing", KEY, 404),
        ("GET", "/v1/conflict/evt_0123456789ABCDEFGHJKMNPQRS", KEY, 404),
        ("GET", "/nothing", STRANGER, 404),
        ("POST", "/v1/conflict", KEY, 405),
        ("DELETE", "/docs", STRANGER, 405),
        ("GET", "/session", STRANGER, 405),
        ("GET", "/v1/summaries", KEY | {"Accept": "image/png"}, 406),
        ("GET", "/v1/summaries?" + "x" * 9000, KEY, 414),
        ("GET", "/v1/summaries", KEY | {"X-Long": "x" * 40_000}, 431),
        ("GET", "/v1/conflict", slow, 200),
        ("GET", "/v1/conflict", slow, 429),
        # Answers that are no representation of a resource.
        ("OPTIONS", "/v1/global-stability", origin, 204),
        ("POST", "/session", KEY, 200),
        ("DELETE", "/session", STRANGER, 204),
    ]
    for method, target, headers, status in rows:
        ask("refused", method, target, headers, status)
    ask("refused", "GET", "/v1/summaries", KEY, 413, body=b"{}")


if __name__ == "__main__":
    what_keys_read()
    what_anybody_reads()
    refusals()
    judge("httplint", findings)
    counts = ", ".join(f"{times} {who}" for who, times in asked.items())
    print(f"messages: {asked.total()} passed ({counts})")
