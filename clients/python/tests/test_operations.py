"""Every operation of the document, called on the running service by both clients."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from gsi_client import AsyncClient, Client, _async_operations, _operations

WORKSPACE = Path(__file__).parents[3] / "Cargo.toml"
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def values(path: str, arguments: dict[str, str]) -> list[str]:
    return [arguments.get(path) or arguments[name] for name in re.findall(r"\{(\w+)\}", path)]


def test_the_clients_have_every_operation_of_the_document(document: Any) -> None:
    described = {item["get"]["operationId"]: path for path, item in document["paths"].items() if "get" in item}
    assert described.pop("stream") == "/stream"
    assert described == _operations.OPERATIONS == _async_operations.OPERATIONS
    for name in map(snake, described):
        assert callable(getattr(Client, name)) and callable(getattr(AsyncClient, name))


@pytest.mark.parametrize("operation", _operations.OPERATIONS)
def test_an_operation_answers(operation: str, client: Client, arguments: dict[str, str]) -> None:
    path = _operations.OPERATIONS[operation]
    assert getattr(client, snake(operation))(*values(path, arguments))


def test_every_operation_answers_when_awaited(client: Client, arguments: dict[str, str]) -> None:
    async def all_at_once() -> list[Any]:
        async with AsyncClient() as client:
            calls = (getattr(client, snake(name))(*values(path, arguments)) for name, path in _operations.OPERATIONS.items())
            return await asyncio.gather(*calls)

    assert all(asyncio.run(all_at_once()))


def test_other_forms_have_their_own_type(client: Client) -> None:
    page = client.list_conflict_events_geojson(limit=3)
    assert page["type"] == "FeatureCollection"
    assert len(page["features"]) == 3


def test_pages_are_one_list(client: Client) -> None:
    as_of = client.get_global_stability()["as_of"]
    whole = [event["id"] for event in client.iter_conflict_events(as_of=as_of, page_size=200)]
    paged = [event["id"] for event in client.iter_conflict_events(as_of=as_of, page_size=max(1, len(whole) // 3))]
    assert len(whole) > 3
    assert paged == whole

    async def awaited() -> list[str]:
        async with AsyncClient() as client:
            return [event["id"] async for event in client.iter_conflict_events(as_of=as_of, page_size=200)]

    assert asyncio.run(awaited()) == whole


def test_the_version_is_the_service_s(document: Any) -> None:
    versions = [re.search(r'^version = "(.+)"$', file.read_text(), re.MULTILINE) for file in (WORKSPACE, PROJECT)]
    assert {found[1] for found in versions if found} == {document["info"]["version"]}
    assert all(versions)
