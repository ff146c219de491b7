"""Answers as tables. Needs pandas: `pip install gsi-client[pandas]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .models import TIME_FIELDS

if TYPE_CHECKING:
    import pandas

# Where an answer has rows. Of several lists in one answer, the first of these is meant.
ROWS = ("points", "events", "briefings", "countries", "crises", "analogues", "feeds", "pillars", "indicators", "changes", "alerts")
# What a row of a series is about.
INDEX = ("at", "date")


def to_pandas(answer: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    """The rows of an answer (the points of a history, the events of a page), or those of an iterator, one column for
    each field: `pillars.conflict` for nested ones, times as UTC. A series is indexed by its time."""
    import pandas

    frame = pandas.json_normalize([dict(row) for row in rows_of(answer)])
    for column in frame.columns:
        if column.rsplit(".", 1)[-1] in TIME_FIELDS:
            frame[column] = pandas.to_datetime(frame[column], utc=True)
    is_series = isinstance(answer, Mapping) and "points" in answer
    index = next((name for name in INDEX if name in frame.columns), None) if is_series else None
    return frame.set_index(index) if index else frame


def rows_of(answer: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    if not isinstance(answer, Mapping):
        return answer
    for name in ROWS:
        if isinstance(answer.get(name), list):
            rows: list[Mapping[str, Any]] = answer[name]
            return rows
    return [answer]
