"""Calls every operation in `known.json` with what openapi-python-client made, in the package `generated`."""

from __future__ import annotations

import importlib
import json
import os
import re
from pathlib import Path

client_of = importlib.import_module("generated").AuthenticatedClient
problem = importlib.import_module("generated.models").Problem


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def main() -> None:
    operations = json.loads(Path("known.json").read_text())
    pillar = importlib.import_module("generated.models").PillarKey
    with client_of(base_url=os.environ["STABILITY_URL"], token=os.environ["STABILITY_KEY"], timeout=60) as client:
        for name, operation in operations.items():
            module = importlib.import_module(f"generated.api.{operation['tag']}.{snake(name)}")
            values = {key: pillar(value) if key == "pillar" else value for key, value in operation["values"].items()}
            answer = module.sync_detailed(client=client, **values)
            if answer.status_code != 200 or answer.parsed is None or isinstance(answer.parsed, problem):
                raise SystemExit(f"openapi-python-client: {name} answered {answer.status_code} with {type(answer.parsed)}")
    print(f"clients: {len(operations)} passed with openapi-python-client")


if __name__ == "__main__":
    main()
