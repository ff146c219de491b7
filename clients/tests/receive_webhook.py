"""Creates a hook while the demo runs, receives a message, and verifies it with the published library for Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

program, data = os.environ["SERVICE_PROGRAM"], os.environ["SERVICE_DATA"]
received: list[dict[str, object]] = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        received.append({"headers": {name: self.headers[name] for name in names}, "body": body})
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def gsi(*arguments: str) -> str:
    environment = os.environ | {"GSI_HOOKS_ALLOW_PRIVATE": "true"}
    done = subprocess.run([program, *arguments, "--data", data], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


server = HTTPServer(("127.0.0.1", 0), Receiver)
server.timeout = 60
secret = gsi("hook", "create", "--name", "clients", "--url", f"http://127.0.0.1:{server.server_port}/", "--on", "snapshot")
try:
    server.handle_request()
finally:
    gsi("hook", "revoke", "clients")
assert received, "nothing was delivered within a minute"
message = Webhook(secret).verify(received[0]["body"], received[0]["headers"])
assert message["type"] == "snapshot.published" and message["simulated"] is True, message
assert 0 <= message["data"]["score"] <= 100, message
try:
    Webhook(secret).verify(str(received[0]["body"]).replace("snapshot", "snapsh0t"), received[0]["headers"])
except WebhookVerificationError:
    pass
else:
    raise SystemExit("a changed body was taken for a signed one")
Path(sys.argv[1]).write_text(json.dumps(received[0] | {"secret": secret}))
