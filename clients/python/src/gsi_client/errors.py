"""What can go wrong, as exceptions. The service answers with problem documents (RFC 9457); each becomes a ProblemError."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

    from .models import ParameterProblem


class GsiError(Exception):
    """Everything that this package raises on purpose."""


class ConnectionFailed(GsiError):
    """No answer came: the service cannot be reached, or was silent for too long."""


class WebhookVerificationError(GsiError):
    """A message that is not what the service signed, or is too old."""


class ProblemError(GsiError):
    """The service refused. `code` is the stable word to decide by."""

    def __init__(
        self,
        status: int,
        code: str = "unknown",
        title: str = "",
        detail: str = "",
        instance: str = "",
        type: str = "about:blank",
        request_id: str | None = None,
        errors: list[ParameterProblem] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail or title}" + (f" (request {request_id})" if request_id else ""))
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.instance = instance
        self.type = type
        self.request_id = request_id
        self.errors: list[ParameterProblem] = errors or []
        self.retry_after = retry_after


class BadRequest(ProblemError):
    """A parameter or a cursor was not accepted; `errors` says which and why."""


class Unauthorized(ProblemError):
    """No key, or one that is wrong, revoked or expired."""


class Forbidden(ProblemError):
    """The key is right and lacks the scope."""


class NotFound(ProblemError):
    """There is no such thing, or there was none at that time (`no_snapshot`)."""


class Gone(ProblemError):
    """It was there and is no longer kept."""


class RateLimited(ProblemError):
    """The key's quota is used up; `retry_after` says for how long."""


class Unavailable(ProblemError):
    """The service cannot answer just now."""


BY_STATUS: dict[int, type[ProblemError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    410: Gone,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def problem_from(response: httpx.Response, retry_after: float | None) -> ProblemError:
    """The exception for an answer that is not a success. An answer of a proxy has no fields."""
    try:
        said = json.loads(response.content)
    except ValueError:
        said = None
    said = said if isinstance(said, dict) else {}
    fields = {name: said[name] for name in ("code", "title", "detail", "instance", "type", "request_id", "errors") if name in said}
    return BY_STATUS.get(response.status_code, ProblemError)(response.status_code, retry_after=retry_after, **fields)
