"""Signatures of webhooks, as the Standard Webhooks specification has them: HMAC-SHA256 over id, time and body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import WebhookVerificationError

# As in the published libraries: a message that is older, or further ahead, may be somebody's recording.
TOLERANCE_SECONDS = 5 * 60
SECRET_PREFIX = "whsec_"


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Iterable[str],
    *,
    now: float | None = None,
) -> Any:
    """The message, when it was signed with the secret (or one of several, while they are rotated) within five minutes.

    `body` is what came over the wire, untouched: parsed and written again it is another text. Remember
    `headers["webhook-id"]` for some days: a message may come twice, with the same id."""
    found = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, sent_at, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
    if not (sent_at.isascii() and sent_at.isdigit()):
        raise WebhookVerificationError("webhook-timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(sent_at)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("the message was signed more than five minutes before or after now")
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{sent_at}.".encode() + raw
    expected = [sign(one, signed) for one in ([secret] if isinstance(secret, str) else secret)]
    given = [one.removeprefix("v1,").encode() for one in signatures.split(" ") if one.startswith("v1,")]
    # Every pair is compared, each in constant time, so that how long it takes says nothing.
    if not any([hmac.compare_digest(ours, theirs) for ours in expected for theirs in given]):
        raise WebhookVerificationError("no signature fits")
    return json.loads(raw)


def sign(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        raise WebhookVerificationError("the secret is not base64 after whsec_") from None
    if not key:
        raise WebhookVerificationError("the secret is empty")
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
