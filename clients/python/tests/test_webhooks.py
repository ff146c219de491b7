"""What the published library signs, this package verifies, and the other way round."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timezone

import pytest
from standardwebhooks.webhooks import Webhook

from gsi_client import WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(24)).decode()
BODY = json.dumps({"type": "alert", "data": {"rule": "score >= 50", "headline": "Grüße"}}, ensure_ascii=False)
# Fixed: the tests may run long after this file was read.
NOW = datetime(2026, 11, 14, 23, 45, tzinfo=timezone.utc)


def read(headers: dict[str, str], body: bytes | str, secret: str | list[str]) -> object:
    return verify_webhook(headers, body, secret, now=NOW.timestamp())


def headers(body: str = BODY, secret: str = SECRET) -> dict[str, str]:
    signature = Webhook(secret).sign("msg_1", NOW, body)
    return {"Webhook-Id": "msg_1", "webhook-timestamp": str(int(NOW.timestamp())), "webhook-signature": signature}


def test_a_signed_message_is_read() -> None:
    assert read(headers(), BODY.encode(), SECRET) == json.loads(BODY)
    assert read(headers(), BODY, [OTHER, SECRET]) == json.loads(BODY)
    both = headers() | {"webhook-signature": headers(secret=OTHER)["webhook-signature"] + " v1a,zzz " + headers()["webhook-signature"]}
    assert read(both, BODY, SECRET) == json.loads(BODY)


@pytest.mark.parametrize(
    ("changed", "body", "secret", "why"),
    [
        ({}, BODY + " ", SECRET, "no signature"),
        ({}, BODY, OTHER, "no signature"),
        ({"Webhook-Id": "msg_2"}, BODY, SECRET, "no signature"),
        ({"webhook-timestamp": str(int(NOW.timestamp()) + 1)}, BODY, SECRET, "no signature"),
        ({"webhook-timestamp": str(int(NOW.timestamp()) - 301)}, BODY, SECRET, "five minutes"),
        ({"webhook-timestamp": str(int(NOW.timestamp()) + 400)}, BODY, SECRET, "five minutes"),
        ({"webhook-timestamp": "now"}, BODY, SECRET, "number"),
        ({"webhook-timestamp": "²"}, BODY, SECRET, "number"),
        ({"webhook-signature": "v2,abc é"}, BODY, SECRET, "no signature"),
        ({"webhook-signature": "v1,é"}, BODY, SECRET, "no signature"),
        ({}, BODY, "whsec_", "empty"),
        ({}, BODY, "whsec_?", "base64"),
    ],
)
def test_any_other_is_refused(changed: dict[str, str], body: str, secret: str, why: str) -> None:
    with pytest.raises(WebhookVerificationError, match=why):
        read(headers() | changed, body, secret)


def test_a_missing_header_is_named() -> None:
    with pytest.raises(WebhookVerificationError, match="webhook-signature"):
        read({name: value for name, value in headers().items() if name != "webhook-signature"}, BODY, SECRET)


def test_now_is_the_clock_s() -> None:
    now = datetime.now(timezone.utc)
    signature = Webhook(SECRET).sign("msg_1", now, BODY)
    fresh = {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}
    assert verify_webhook(fresh, BODY, SECRET)
    with pytest.raises(WebhookVerificationError, match="five minutes"):
        verify_webhook(headers() | {"webhook-timestamp": "1"}, BODY, SECRET)
