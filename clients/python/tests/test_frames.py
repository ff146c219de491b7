from __future__ import annotations

from itertools import islice

from gsi_client import Client, to_pandas


def test_a_series_is_indexed_by_its_time(client: Client) -> None:
    history = to_pandas(client.get_global_stability_history(step="1h"))
    assert str(history.index.dtype).startswith("datetime64") and str(history.index.tz) == "UTC"  # type: ignore[attr-defined]
    assert history["last"].between(0, 100).all() and len(history) > 24
    past = to_pandas(client.get_reconstruction(from_="2008-01-01T00:00:00Z", to="2009-01-01T00:00:00Z"))
    assert past.index[0].year == 2008 and past["score"].notna().any()


def test_rows_become_a_table(client: Client) -> None:
    events = to_pandas(islice(client.iter_conflict_events(), 20))
    assert str(events["occurred_at"].dtype).startswith("datetime64") and events["lat"].dtype == float
    countries = to_pandas(client.list_countries())
    assert countries["pillars.conflict"].notna().any()
    assert to_pandas(client.get_global_stability()).iloc[0]["pillars.macro"] >= 0
