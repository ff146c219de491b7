"""Tells a Slack channel when the band of the score changes.

    STABILITY_URL=… STABILITY_KEY=… SLACK_WEBHOOK_URL=… python slack_bot.py [STATE_FILE]

The state file holds the band of the last message and the last tick that was read, so that a restart neither repeats nor
misses a change. SLACK_WEBHOOK_URL is the address of an incoming webhook; Mattermost and others take the same messages."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import httpx

from gsi_client import Client
from gsi_client.models import StreamSnapshot


def words(before: str, snapshot: StreamSnapshot) -> str:
    simulated = "[simulated] " if snapshot["simulated"] else ""
    partly = "" if snapshot["status"] == "ok" else f" The data are {snapshot['status']}."
    highest = max(snapshot["pillars"].items(), key=lambda pillar: float(str(pillar[1])))
    return (
        f"{simulated}Global stability went from *{before}* to *{snapshot['band']}*: {snapshot['score']} of 100 "
        f"({snapshot['delta_24h']:+} in 24 hours), highest in {highest[0].replace('_', ' ')} ({highest[1]}), "
        f"as of {snapshot['as_of']}.{partly}"
    )


def main(state_file: Path, address: str) -> None:
    state = json.loads(state_file.read_text()) if state_file.exists() else {}
    with Client() as client:
        for message in client.stream(state.get("tick")):
            if message["event"] == "snapshot":
                band = message["data"]["band"]
                if state.setdefault("band", band) != band:
                    httpx.post(address, json={"text": words(state["band"], message["data"])}).raise_for_status()
                    state["band"] = band
            elif message["event"] == "tick":
                state["tick"] = message["id"]
            else:
                continue
            # Written to another file and renamed: a crash leaves the old state or the new one.
            draft = state_file.with_suffix(".new")
            draft.write_text(json.dumps(state))
            draft.replace(state_file)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "slack_bot.json"), os.environ["SLACK_WEBHOOK_URL"])
    except KeyboardInterrupt:
        pass
