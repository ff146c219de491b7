"""document.py REDOCLY SPECTRAL: the findings of both linters, as they write them in JSON, held against what is accepted."""

from __future__ import annotations

import json
import sys

from accepted import Finding, judge

ERROR = 0


def main() -> None:
    redocly, spectral = (json.load(open(name)) for name in sys.argv[1:])
    judge(
        "redocly",
        [
            Finding("redocly", p["severity"] == "error", p["ruleId"], p["location"][0].get("pointer", ""), p["message"])
            for p in redocly["problems"]
        ],
    )
    judge(
        "owasp",
        [
            Finding("owasp", f["severity"] == ERROR, f["code"], "/".join(map(str, f["path"])), f["message"])
            for f in spectral
        ],
    )


if __name__ == "__main__":
    main()
