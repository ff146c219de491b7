"""Asks the running service as an agent does, with the official client for Python, over HTTP and over stdio: every tool is
called, every resource read, every prompt taken. Then what a wrong key, a narrow one and one with few requests get."""

from __future__ import annotations

import asyncio
import os
import subprocess
import traceback
from contextlib import AsyncExitStack
from typing import Any

import httpx2
from known import ids
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL, KEY = os.environ["STABILITY_URL"], os.environ["STABILITY_KEY"]
PROGRAM, DATA = os.environ["SERVICE_PROGRAM"], os.environ["SERVICE_DATA"]
passed = 0


async def over_http(stack: AsyncExitStack, key: str = KEY) -> Client:
    http = await stack.enter_async_context(httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}))
    return await stack.enter_async_context(Client(streamable_http_client(f"{URL}/mcp", http_client=http)))


async def over_stdio(stack: AsyncExitStack, key: str = KEY) -> Client:
    program = StdioServerParameters(command=PROGRAM, args=["mcp"], env={"GSI_URL": URL, "GSI_KEY": key})
    return await stack.enter_async_context(Client(program))


def check(holds: bool, what: object) -> None:
    global passed
    if not holds:
        raise SystemExit(f"agents (Python): {what}")
    passed += 1


def arguments(tool: Any) -> dict[str, str]:
    known = ids()
    return {name: known.get(f"{tool.name}.{name}") or known[name] for name in tool.input_schema.get("required", [])}


async def ask_everything(client: Client) -> set[str]:
    tools = (await client.list_tools()).tools
    for tool in tools:
        check(tool.annotations is not None and tool.annotations.read_only_hint is True, f"{tool.name} is not marked as reading only")
        answer = await client.call_tool(tool.name, arguments(tool))
        check(not answer.is_error and answer.structured_content is not None, f"{tool.name}: {answer}")
        check(answer.structured_content["simulated"] is True, f"{tool.name} does not say that the world is simulated")
    for resource in (await client.list_resources()).resources:
        read = await client.read_resource(resource.uri)
        check(len(read.contents) == 1 and len(read.contents[0].text) > 100, f"{resource.uri}: {read}")
    for prompt in (await client.list_prompts()).prompts:
        given = {argument.name: "Ukraine" for argument in prompt.arguments or []}
        check(len((await client.get_prompt(prompt.name, given)).messages) > 0, prompt.name)
    wrong = await client.call_tool("get_pillar", {"pillar": "war"})
    check(bool(wrong.is_error) and "unknown_pillar" in wrong.content[0].text, wrong)
    return {tool.name for tool in tools}


def says(answered: str, status: str) -> bool:
    """Over HTTP the library tells only that the server's answer was an error, not which."""
    return status in answered or "MCPError: Server returned an error response" in answered


def make_key(*more: str) -> str:
    made = subprocess.run([PROGRAM, "key", "create", "--name", "agent", *more, "--data", DATA], check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip()


async def ask_with_lesser_keys(connect: Any) -> None:
    narrow = make_key("--scope", "events:read")
    async with AsyncExitStack() as stack:
        client = await connect(stack, narrow)
        refused = await client.call_tool("get_stability", {})
        check(bool(refused.is_error) and "insufficient_scope" in refused.content[0].text, refused)
        check(not (await client.call_tool("list_events", {})).is_error, "a key for events lists events")
    refused_as = ""
    try:
        async with AsyncExitStack() as stack:
            client = await connect(stack, "gsi_0000000000_" + "0" * 52)
            answer = await client.call_tool("get_stability", {})
            if answer.is_error:
                raise PermissionError(answer.content[0].text)
    except Exception as error:  # however the library wraps it
        refused_as = "".join(traceback.format_exception(error))
    check(says(refused_as, "401"), f"a wrong key got: {refused_as or 'nothing'}")
    few = make_key("--rate", "6/min")
    answered = ""
    try:
        async with AsyncExitStack() as stack:
            client = await connect(stack, few)
            for _ in range(60):
                answer = await client.call_tool("get_summary", {})
                answered += answer.content[0].text if answer.is_error else ""
    except Exception as error:  # likewise
        answered += "".join(traceback.format_exception(error))
    check(says(answered, "429"), f"a key of six requests a minute made sixty and got: {answered or 'nothing'}")


async def main() -> None:
    async with AsyncExitStack() as stack:
        over_network = await ask_everything(await over_http(stack))
        by_program = await ask_everything(await over_stdio(stack))
        check(over_network == by_program and len(over_network) >= 14, f"{over_network ^ by_program}")
    for connect in (over_http, over_stdio):
        await ask_with_lesser_keys(connect)
    print(f"clients: {passed} passed (agents, Python)")


asyncio.run(main())
