"""A client of the Global Stability Intelligence service."""

from . import models
from ._async_client import AsyncClient
from ._client import Client
from ._request import Answer, Cache
from .errors import (
    BadRequest,
    ConnectionFailed,
    Forbidden,
    Gone,
    GsiError,
    NotFound,
    ProblemError,
    RateLimited,
    Unauthorized,
    Unavailable,
    WebhookVerificationError,
)
from .frames import to_pandas
from .webhooks import verify_webhook

__all__ = [
    "Answer",
    "AsyncClient",
    "BadRequest",
    "Cache",
    "Client",
    "ConnectionFailed",
    "Forbidden",
    "Gone",
    "GsiError",
    "NotFound",
    "ProblemError",
    "RateLimited",
    "Unauthorized",
    "Unavailable",
    "WebhookVerificationError",
    "models",
    "to_pandas",
    "verify_webhook",
]
