"""Compares exports of one store with each other, as other programs read them, and with the service's answers."""

import datetime
import json
import os
import pathlib
import sys
import urllib.request
import xml.etree.ElementTree as xml

import duckdb
import pyarrow.parquet

folder, address = pathlib.Path(sys.argv[1]), sys.argv[2]
KINDS = ["scores", "events", "briefings", "countries", "observations"]
TYPES = {"text": "string", "number": "double", "whole": "int64", "flag": "bool", "time": "timestamp[ms, tz=UTC]"}


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def rows_of(what):
    with open(folder / f"{what}-ndjson" / f"{what}.ndjson") as lines:
        return [json.loads(line) for line in lines]


def ask(path):
    request = urllib.request.Request(address + path, headers={"authorization": "Bearer " + os.environ["GSI_KEY"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def spreadsheet(what, columns, rows):
    """The types that LibreOffice gives the cells of a CSV file, and their values."""
    space = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
    office, table = space % "office", space % "table"
    document = xml.parse(folder / f"office-{what}" / f"{what}.fods")
    sheet = [row for row in document.iter(table + "table-row") if row.find(table + "table-cell") is not None]
    for row, line in zip(rows, sheet[1:], strict=False):
        cells = []
        for cell in line.findall(table + "table-cell"):
            cells += [cell] * int(cell.get(table + "number-columns-repeated", "1"))
        for column, cell in zip(columns, cells, strict=False):
            value, kind = row[column["name"]], cell.get(office + "value-type")
            if value is None or value == "":
                assert kind is None, (what, column, kind)
            elif column["type"] in ("number", "whole"):
                assert kind == "float" and float(cell.get(office + "value")) == value, (what, column, value, kind)
            elif column["type"] == "flag":
                assert kind == "boolean", (what, column, value, kind)
            elif column["type"] == "time":
                assert kind in ("date", "string"), (what, column, value, kind)
            else:
                assert kind == "string", (what, column, value, kind)
    assert len(rows) == len(sheet) - 1, (what, len(rows), len(sheet))


compared = 0
for what in KINDS:
    manifest = json.loads((folder / f"{what}-parquet" / "manifest.json").read_text())
    rows, columns, file = rows_of(what), manifest["columns"], folder / f"{what}-parquet" / f"{what}.parquet"
    assert rows and len(rows) == manifest["rows"], what
    read = pyarrow.parquet.read_table(file)
    assert [str(kind) for kind in read.schema.types] == [TYPES[c["type"]] for c in columns], read.schema
    assert [{k: plain(v) for k, v in row.items()} for row in read.to_pylist()] == rows, what
    duck = duckdb.connect()
    duck.execute("SET TimeZone = 'UTC'")
    found = duck.execute("SELECT * FROM read_parquet(?)", [str(file)])
    names = [column[0] for column in found.description]
    assert [{n: plain(v) for n, v in zip(names, row, strict=True)} for row in found.fetchall()] == rows, what
    opened = (folder / f"office-{what}").exists()
    if opened:
        spreadsheet(what, columns, rows)
    print(f"{what}: {len(rows)} rows alike in DuckDB, pyarrow and NDJSON{', and in LibreOffice' if opened else ''}")
    compared += 1

now, last = ask("/v1/global-stability"), rows_of("scores")[-1]
assert (last["at"], last["score"]) == (now["as_of"], now["score"]), (last, now)
assert {p: last[p] for p in now["pillars"]} == now["pillars"], (last, now)
listed = ask("/v1/briefings?limit=200&since=2026-11-13T00:00:00Z")["briefings"]
assert [b["summary"] for b in listed] == [b["summary"] for b in rows_of("briefings")]
assert compared == len(KINDS)
print("exports: what the service answers is what was exported")
