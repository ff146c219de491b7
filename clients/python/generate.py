"""Writes the models and operations of gsi_client from the service's OpenAPI document, which comes in on standard input.
With --check nothing is written; the exit status says whether the files are what the document says."""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "src" / "gsi_client"
HEAD = '"""{}\n\nMade by clients/python/generate.py from the OpenAPI document. Not to be edited."""\n\nfrom __future__ import annotations\n\n'
JSON = "application/json"
# A list of more words than this says little to a reader of a signature: it is a plain string there.
MOST_WORDS = 20
# Other forms of an answer become methods of their own, because each has its own type.
FORMS = {"application/geo+json": "geojson", "text/csv": "csv", "application/x-ndjson": "ndjson"}
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


def type_of(schema: Schema, prefix: str = "") -> str:
    """The Python type of a schema. `prefix` goes before the name of a model."""
    if "$ref" in schema:
        return prefix + str(schema["$ref"]).rsplit("/", 1)[-1]
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return " | ".join(dict.fromkeys(type_of(s, prefix) for s in schema[choice]))
    if len(schema.get("allOf", [])) == 1:
        return type_of(schema["allOf"][0], prefix)
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    kinds = schema.get("type", "object")
    if isinstance(kinds, list):
        return " | ".join(type_of({**schema, "type": kind}, prefix) for kind in kinds)
    if kinds == "string" and len(schema.get("enum", [])) in range(1, MOST_WORDS + 1):
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'] if word is not None)}]"
    if kinds == "array":
        return f"list[{type_of(schema.get('items', {}), prefix)}]"
    if kinds == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values, prefix)}]" if isinstance(values, dict) else "dict[str, Any]"
    return PLAIN[kinds]


def prose(text: str, indent: str) -> list[str]:
    """Wrapped lines, with an empty one between paragraphs."""
    paragraphs = [textwrap.wrap(" ".join(part.split()), 110 - len(indent)) for part in text.split("\n\n") if part.strip()]
    return [indent + line if line else "" for i, part in enumerate(paragraphs) for line in ([""] if i else []) + part]


def docstring(text: str, indent: str) -> list[str]:
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = prose(text, indent)
    return [f'{indent}"""{lines[0].strip()}', *lines[1:-1], f'{lines[-1]}"""'] if len(lines) > 1 else [f'{indent}"""{lines[0].strip()}"""']


def model(name: str, schema: Schema) -> list[str]:
    properties: dict[str, Schema] = schema.get("properties", {})
    if not properties:
        return ["", f"{name} = {type_of(schema)}"]
    needed = set(schema.get("required", []))
    types = {key: type_of(value) if key in needed else f"NotRequired[{type_of(value)}]" for key, value in properties.items()}
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in properties):
        lines = ["", "", f"class {name}(TypedDict):", *(docstring(schema["description"], "    ") + [""] if "description" in schema else [])]
        for key, value in properties.items():
            lines += [f"    # {line.strip()}" for line in prose(value.get("description", ""), "    ")]
            lines.append(f"    {key}: {types[key]}")
        return lines
    # A field is called like a word of the language.
    lines = ["", "", f"{name} = TypedDict(", f'    "{name}",', "    {"]
    return [*lines, *(f'        "{key}": "{kind}",' for key, kind in types.items()), "    },", ")"]


def messages(document: Schema) -> list[str]:
    """The messages of the stream, one type for each kind, distinguished by `event`."""
    content = document["paths"]["/stream"]["get"]["responses"]["200"]["content"]["text/event-stream"]
    lines, names = [], []
    for event, message in sorted(content["x-messages"].items()):
        names.append(event.title().replace("_", "") + "Message")
        lines += ["", "", f"class {names[-1]}(TypedDict):", *docstring(message["description"], "    "), ""]
        lines += [f"    event: Literal[{json.dumps(event)}]", "    id: str | None", f"    data: {type_of(message['data'])}"]
    words = ", ".join(json.dumps(event) for event in sorted(content["x-messages"]))
    return [*lines, "", "", f"StreamMessage = {' | '.join(names)}", f"STREAM_EVENTS = frozenset({{{words}}})"]


def times(document: Schema) -> list[str]:
    """The names of fields that hold a time or a day wherever they occur, for tables."""
    kinds: dict[str, set[bool]] = {}
    for schema in document["components"]["schemas"].values():
        for key, value in schema.get("properties", {}).items():
            kinds.setdefault(key, set()).add(value.get("format") in ("date-time", "date"))
    found = sorted(key for key, kind in kinds.items() if kind == {True})
    return ["", "# Fields that hold a time or a day wherever they occur.", "TIME_FIELDS = frozenset(", "    {", *(f'        "{key}",' for key in found), "    }", ")"]


def models(document: Schema) -> str:
    lines = ["from typing import Any, Literal, NotRequired, TypedDict"]
    schemas: dict[str, Schema] = document["components"]["schemas"]
    for name, schema in sorted(schemas.items(), key=lambda entry: ("properties" in entry[1], entry[0])):
        lines += model(name, schema)
    return HEAD.format("The bodies of the answers.") + "\n".join(lines + messages(document) + times(document)) + "\n"


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def argument_of(parameter: Schema) -> str:
    schema = parameter["schema"]
    if schema.get("format") == "date-time":
        return "Time"
    kind = type_of(schema, "models.")
    return kind.replace("list[", "Sequence[", 1) if kind.startswith("list[") else kind


class Operation:
    def __init__(self, document: Schema, path: str, operation: Schema) -> None:
        self.id = str(operation["operationId"])
        self.name = snake(self.id)
        self.path = path
        self.schemas = document["components"]["schemas"]
        self.title = operation.get("summary", self.id).rstrip(".") + "."
        self.description = operation.get("description", "")
        parameters = [p for p in operation.get("parameters", []) if p["in"] in ("path", "query")]
        self.in_path = [p for p in parameters if p["in"] == "path"]
        self.in_query = [p for p in parameters if p["in"] == "query" and p["name"] != "format"]
        self.content: Schema = operation["responses"]["200"]["content"]

    def lines(self, asynchronous: bool) -> list[str]:
        """A method for each form of the answer, and for a list of pages one that goes through all of them."""
        made: list[str] = []
        for media, body in sorted(self.content.items(), key=lambda entry: entry[0] != JSON):
            made += self.method(asynchronous, media, body.get("schema", {}), alone=media == JSON or len(self.content) == 1)
        page = self.content.get(JSON, {}).get("schema", {})
        if any(p["name"] == "cursor" for p in self.in_query):
            made += self.iterator(asynchronous, self.schemas[page["$ref"].rsplit("/", 1)[-1]])
        return made

    def signature(self, define: str, name: str, title: str, returns: str, queries: dict[str, Schema]) -> list[str]:
        """Everything but the last line. `queries` are by the name of their argument."""
        lines = ["", f"    {define} {name}(", "        self,", *(f"        {p['name']}: {argument_of(p)}," for p in self.in_path)]
        if queries:
            lines.append("        *,")
        for argument, parameter in queries.items():
            lines.append(f"        {argument}: {argument_of(parameter)}" + ("," if parameter.get("required") else " | None = None,"))
        meant = "\n\n".join(f"{argument}: {p['description']}" for argument, p in queries.items() if "description" in p)
        return [*lines, f"    ) -> {returns}:", *docstring(f"{title}\n\n{self.description}\n\n{meant}", "        ")]

    def address(self) -> str:
        filled = re.sub(r"\{(\w+)\}", r"{segment(\1)}", self.path)
        return f'f"{filled}"' if self.in_path else f'"{self.path}"'

    def method(self, asynchronous: bool, media: str, schema: Schema, alone: bool) -> list[str]:
        form = "" if alone else FORMS[media]
        returns = type_of(schema, "models.") if media.endswith("json") else "bytes" if media.startswith("image/") else "str"
        queries = {"from_" if p["name"] == "from" else p["name"]: p for p in self.in_query}
        lines = self.signature(
            "async def" if asynchronous else "def",
            f"{self.name}_{form}" if form else self.name,
            f"{self.title[:-1]}, as {form}." if form else self.title,
            returns,
            queries,
        )
        call = "await self._body" if asynchronous else "self._body"
        return [*lines, *query(queries, form), f'        return cast("{returns}", {call}({self.address()}, query, "{media}"))']

    def iterator(self, asynchronous: bool, page: Schema) -> list[str]:
        ((key, items),) = [(k, v["items"]) for k, v in page["properties"].items() if v.get("type") == "array"]
        renamed = {"from": "from_", "limit": "page_size"}
        queries = {renamed.get(p["name"], p["name"]): p for p in self.in_query if p["name"] != "cursor"}
        returns = f"{'AsyncIterator' if asynchronous else 'Iterator'}[{type_of(items, 'models.')}]"
        name = self.name.replace("list_", "iter_", 1)
        lines = self.signature("def", name, f"{self.title[:-1]}, page after page.", returns, queries)
        return [*lines, *query(queries, ""), f'        return cast("{returns}", self._items({self.address()}, "{key}", query))']


def query(queries: dict[str, Schema], form: str) -> list[str]:
    pairs = [f'            "{p["name"]}": {argument},' for argument, p in queries.items()]
    pairs += [f'            "format": "{form}",'] if form else []
    return ["        query: Query = {", *pairs, "        }"] if pairs else ["        query: Query = {}"]


def operations(document: Schema, asynchronous: bool) -> str:
    found = [Operation(document, path, item["get"]) for path, item in document["paths"].items() if "get" in item]
    found = [operation for operation in found if "text/event-stream" not in operation.content]
    iterator = "AsyncIterator" if asynchronous else "Iterator"
    define = "async def" if asynchronous else "def"
    lines = [
        f"from collections.abc import {iterator}, Sequence",
        "from typing import Any, Literal, cast",
        "",
        "from . import models",
        "from ._request import Query, Time, segment",
        "",
        "# What the document calls each operation, and where it is.",
        "OPERATIONS = {",
        *(f'    "{operation.id}": "{operation.path}",' for operation in found),
        "}",
        "",
        "",
        f"class {'AsyncOperations' if asynchronous else 'Operations'}:",
        f"    {define} _body(self, path: str, query: Query, media: str) -> Any:",
        "        raise NotImplementedError",
        "",
        f"    def _items(self, path: str, key: str, query: Query) -> {iterator}[Any]:",
        "        raise NotImplementedError",
    ]
    for operation in found:
        lines += operation.lines(asynchronous)
    return HEAD.format("A method for every operation" + (", to be awaited." if asynchronous else ".")) + "\n".join(lines) + "\n"


def main() -> int:
    document = json.load(sys.stdin)
    made = {
        "models.py": models(document),
        "_operations.py": operations(document, asynchronous=False),
        "_async_operations.py": operations(document, asynchronous=True),
    }
    if "--check" not in sys.argv:
        for name, text in made.items():
            (PACKAGE / name).write_text(text)
        return 0
    stale = [name for name, text in made.items() if not (PACKAGE / name).exists() or (PACKAGE / name).read_text() != text]
    for name in stale:
        print(f"gsi_client/{name} is not what the OpenAPI document says: run scripts/clients --write", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
