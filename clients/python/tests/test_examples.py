"""The examples, run as they stand against the running service."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import parse_qsl

import pytest

from gsi_client import Client

EXAMPLES = Path(__file__).parents[1] / "examples"
README = Path(__file__).parents[1] / "README.md"


def run(code: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("MPLBACKEND", "Agg")
    patch.chdir(folder)
    exec(compile(code, "example", "exec"), {"__name__": "__main__"})


def test_the_notebook_draws_the_past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((EXAMPLES / "reconstruction.ipynb").read_text())
    assert not any(cell.get("outputs") for cell in notebook["cells"]), "outputs are not kept: they are of somebody's data"
    run("\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"), tmp_path, monkeypatch)
    assert (tmp_path / "reconstruction.png").read_bytes().startswith(b"\x89PNG")


SAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("sample", SAMPLES, ids=range(len(SAMPLES)))
def test_what_the_readme_shows_runs(sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(sample, tmp_path, monkeypatch)


def test_the_documents_samples_run_as_they_stand(document: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = 0
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for sample in operation.get("x-codeSamples", []):
                if sample["lang"] == "Python":
                    run(sample["source"], tmp_path, monkeypatch)
                elif sample["lang"] == "Shell" and path != "/stream":
                    # With --fail an answer other than 2xx is an exit status.
                    failing = sample["source"].replace("curl -sS", "curl -sS --fail-with-body")
                    answer = subprocess.run(["bash", "-euc", failing], capture_output=True, timeout=60)
                    assert answer.returncode == 0 and answer.stdout, f"{sample['source']}: {answer.stdout!r}"
                else:
                    continue
                ran += 1
    assert ran > 50


def test_the_bot_tells_of_a_change_once(tmp_path: Path) -> None:
    messages: Queue[str] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.put(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    state = tmp_path / "state.json"
    state.write_text('{"band": "unheard of"}')
    environment = {**os.environ, "SLACK_WEBHOOK_URL": f"http://127.0.0.1:{receiver.server_port}/"}
    bot = subprocess.Popen([sys.executable, str(EXAMPLES / "slack_bot.py"), str(state)], env=environment)
    try:
        text = messages.get(timeout=300)  # only so that a bot that says nothing fails
        assert text.startswith("[simulated] Global stability went from *unheard of* to *")
        while "tick" not in (kept := json.loads(state.read_text())):
            assert bot.poll() is None
            time.sleep(0.05)
        assert f"to *{kept['band']}*" in text or not messages.empty()
    finally:
        bot.terminate()
        bot.wait()
        receiver.shutdown()
        receiver.server_close()


def test_the_grafana_panels_ask_for_what_is_there(client: Client) -> None:
    """What the data source does with a panel: the address, the list in the answer, and its columns."""
    board = json.loads((Path(__file__).parents[3] / "deploy/grafana/json-panels.json").read_text())
    now = client.get_global_stability()["as_of"]
    span = {"${__from:date:iso}": now[:8] + "01T00:00:00Z", "${__to:date:iso}": now}
    for panel in board["panels"]:
        for target in panel["targets"]:
            address = target["url"]
            for variable, value in span.items():
                address = address.replace(variable, value)
            path, _, query = address.partition("?")
            rows = client.get(path, dict(parse_qsl(query))).body[target["root_selector"]]
            assert rows, f"{panel['title']}: nothing at {address}"
            for column in target["columns"]:
                assert column["selector"] in rows[0], f"{panel['title']}: no {column['selector']}"
                if column["type"] == "number":
                    assert isinstance(rows[0][column["selector"]], int | float | None)
