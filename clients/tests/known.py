"""Prints, for every GET operation of the running service's document that answers in JSON, its path, its tag and something that
exists for each parameter in the path, as JSON by operation; with `--ids`, what agents' tools are asked about. Only with the
standard library: it serves every generator."""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from typing import Any

URL, KEY = os.environ["STABILITY_URL"], os.environ["STABILITY_KEY"]


def get(path: str) -> Any:
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def first_id(path: str, items: str) -> str:
    return get(f"{path}?limit=1")[items][0]["id"]


def ids() -> dict[str, str]:
    """What each required argument of a tool may be: by tool and name where it depends on the tool, otherwise by name."""
    return {
        "pillar": "conflict",
        "country": get("/v1/countries?limit=1")["countries"][0]["country"],
        "get_alert.id": first_id("/v1/alerts", "alerts"),
        "get_briefing.id": first_id("/v1/briefings", "briefings"),
        "get_event.id": first_id("/v1/conflict", "events"),
    }


def by_path() -> dict[str, str]:
    """The same for parameters in a path: by the path where it depends on that, otherwise by name."""
    existing = ids()
    return existing | {
        "/v1/alerts/{id}": existing["get_alert.id"],
        "/v1/briefings/{id}": existing["get_briefing.id"],
        "/v1/conflict/{id}": existing["get_event.id"],
        "/v1/snapshots/{id}/inputs": get("/v1/global-stability/explain")["snapshot"],
    }


def main() -> None:
    if "--ids" in sys.argv:
        json.dump(ids(), sys.stdout)
        return
    known = by_path()
    operations = {}
    for path, item in get("/openapi.json")["paths"].items():
        # The stream never ends, and feeds are for feed readers.
        if "get" not in item or "application/json" not in item["get"]["responses"]["200"]["content"]:
            continue
        names = re.findall(r"\{(\w+)\}", path)
        if missing := [name for name in names if path not in known and name not in known]:
            sys.exit(f"clients/tests/known.py does not know what to put for {missing} in {path}")
        values = {name: known.get(path) or known[name] for name in names}
        operations[item["get"]["operationId"]] = {"path": path, "tag": item["get"]["tags"][0], "values": values}
    json.dump(operations, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
