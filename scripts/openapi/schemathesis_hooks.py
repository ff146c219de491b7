"""What the description says in words, for schemathesis: a cursor is only valid when it was issued, one bound must come
before the other, south is not above north. Applied to requests that are meant to be valid; the invalid ones are left
as they are."""

import schemathesis

ORDERED = (("since", "until"), ("from", "to"))


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or not isinstance(case.query, dict):
        return
    case.query.pop("cursor", None)
    for first, second in ORDERED:
        if first in case.query and second in case.query:
            del case.query[first]
    # The window is bounded by the number of points it would have.
    case.query.pop("from", None)
    box = case.query.get("bbox")
    if isinstance(box, str) and box.count(",") == 3:
        west, south, east, north = box.split(",")
        if float(south) > float(north):
            case.query["bbox"] = ",".join((west, north, east, south))
