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
NOW = datetime.now(timezone.utc)


def headers(body: str = BODY, secret: str = SECRET) -> dict[str, str]:
    signature = Webhook(secret).sign("msg_1", NOW, body)
    return {"Webhook-Id": "msg_1", "webhook-timestamp": str(int(NOW.timestamp())), "webhook-signature": signature}


def test_a_signed_message_is_read() -> None:
    assert verify_webhook(headers(), BODY.encode(), SECRET) == json.loads(BODY)
    assert verify_webhook(headers(), BODY, [OTHER, SECRET]) == json.loads(BODY)
    both = headers() | {"webhook-signature": headers(secret=OTHER)["webhook-signature"] + " v1a,zzz " + headers()["webhook-signature"]}
    assert verify_webhook(both, BODY, SECRET) == json.loads(BODY)


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
        verify_webhook(headers() | changed, body, secret)


def test_a_missing_header_is_named() -> None:
    with pytest.raises(WebhookVerificationError, match="webhook-signature"):
        verify_webhook({name: value for name, value in headers().items() if name != "webhook-signature"}, BODY, SECRET)
