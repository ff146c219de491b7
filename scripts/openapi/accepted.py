"""Compares the findings of linters with `accepted.tsv`: a listed finding is known and has its reason. Anything else fails, and so
does a line that nothing was found for. An error is never accepted."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Iterable, NamedTuple

LIST = Path(__file__).with_name("accepted.tsv")


class Finding(NamedTuple):
    linter: str
    is_error: bool
    rule: str
    # The place in the document, or the exchange: whose, method, target and status.
    where: str
    words: str


class Accepted(NamedTuple):
    linter: str
    rule: str
    where: str
    reason: str


def read_list(linter: str) -> list[Accepted]:
    lines = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    rows = [Accepted(*line.split("\t")) for line in lines]
    return [row for row in rows if row.linter == linter]


def judge(linter: str, findings: Iterable[Finding]) -> None:
    """Prints what is accepted, with its reason and how often it was found; ends the program when there is anything else."""
    accepted, found, faults = read_list(linter), Counter(), []
    for finding in findings:
        fits = (row for row in accepted if row.rule == finding.rule and re.search(row.where, finding.where))
        row = None if finding.is_error else next(fits, None)
        if row:
            found[row] += 1
        else:
            level = "error" if finding.is_error else "warning"
            faults.append(f"{linter}: {level} {finding.rule}, {finding.where}: {finding.words}")
    faults += [f"{linter}: nothing is found any more of: {row.rule}, {row.where}" for row in accepted if not found[row]]
    for row, times in found.items():
        print(f"{linter}: {times} times {row.rule}, accepted: {row.reason}")
    for fault, times in Counter(faults).items():
        print(fault if times == 1 else f"{fault} ({times} times)")
    if faults:
        sys.exit(1)
