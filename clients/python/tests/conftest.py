"""The running service comes from STABILITY_URL and STABILITY_KEY, which scripts/clients sets."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from gsi_client import Client


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


@pytest.fixture(scope="session")
def document() -> Any:
    with urllib.request.urlopen(f"{os.environ['STABILITY_URL']}/openapi.json") as answer:
        return json.load(answer)


@pytest.fixture(scope="session")
def arguments(client: Client) -> dict[str, str]:
    """Something that exists, for each name in a path."""
    return {
        "pillar": "conflict",
        "country": client.list_countries(limit=1)["countries"][0]["country"],
        "/v1/alerts/{id}": client.list_alerts(limit=1)["alerts"][0]["id"],
        "/v1/briefings/{id}": client.list_briefings(limit=1)["briefings"][0]["id"],
        "/v1/conflict/{id}": client.list_conflict_events(limit=1)["events"][0]["id"],
        "/v1/snapshots/{id}/inputs": client.explain_global_stability()["snapshot"],
    }
