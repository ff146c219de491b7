"""Reads the Atom feeds of the running service with the parser that feed readers in Python use, and holds them to RFC 4287."""

from __future__ import annotations

import os
import urllib.request

import feedparser

URL, KEY = os.environ["STABILITY_URL"], os.environ["STABILITY_KEY"]


def main() -> None:
    for topic in ("alerts", "briefings"):
        request = urllib.request.Request(f"{URL}/{topic}.atom", headers={"Authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(request) as answer:
            said = {"content-type": answer.headers["content-type"], "content-location": request.full_url}
            found = feedparser.parse(answer.read(), response_headers=said)
        feed_name = f"{topic}.atom"
        assert not found.bozo and found.version == "atom10", f"{feed_name}: {found.get('bozo_exception') or found.version}"
        # A world of a few days may have had no alert; it has had briefings.
        assert found.entries or topic == "alerts", f"{feed_name} has no entry"
        # What the standard asks of a feed and of every entry.
        for part in (found.feed, *found.entries):
            assert part.get("id") and part.get("title") and part.get("updated_parsed"), f"{feed_name}: {part}"
        assert found.feed.get("author") and any(link.rel == "self" for link in found.feed.links), feed_name
        assert all(entry.get("link", "").startswith(URL) and entry.get("content") for entry in found.entries), feed_name
        ids = [entry.id for entry in found.entries]
        assert len(set(ids)) == len(ids), f"{feed_name} says something twice"
    print("clients: 2 passed (Atom)")


if __name__ == "__main__":
    main()
