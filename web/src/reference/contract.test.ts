import { expect, test } from "vitest";
import { fields, groups, requestPath, type Contract } from "./contract";

const contract: Contract = {
  info: { title: "T", version: "1" },
  tags: [{ name: "things", description: "All of them." }, { name: "empty" }],
  paths: {
    "/v1/things/{id}": {
      get: {
        operationId: "getThing", summary: "One", tags: ["things"],
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", example: "thg_1" } },
          { name: "kind", in: "query", description: "Any of these.", schema: { type: "array", items: { type: "string", enum: ["a", "b"] } } },
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 200, default: 50 } },
        ],
        responses: { 200: { description: "It", content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } }, 404: { $ref: "#/components/responses/NotFound" } },
      },
    },
    "/plain": { get: {} },
  },
  components: {
    schemas: {
      Thing: { type: "object", properties: { at: { type: "string", format: "date-time" }, part: { oneOf: [{ $ref: "#/components/schemas/Part" }, { type: "null" }] }, parts: { type: "array", items: { $ref: "#/components/schemas/Part" } } } },
      Part: { type: "object", properties: { weight: { type: ["number", "null"], minimum: 0, maximum: 1, description: "How heavy." } } },
    },
    responses: { NotFound: { description: "There is none", content: { "application/problem+json": {} } } },
  },
};
const [things, rest] = groups(contract);
const one = things!.operations[0]!;

test("operations are in their groups, and a group without any is left out", () => expect([things!.name, rest!.name, groups(contract).length]).toEqual(["things", "", 2]));
test("parameters are described in words", () =>
  expect(one.parameters.map((p) => [p.name, p.type, p.about, p.choices.join()])).toEqual([["id", "string", "", ""], ["kind", "list of a | b", "Any of these.", "a,b"], ["limit", "integer, 1 to 200", " Without it: 50.", ""]]));
test("referenced answers are described too", () => expect(one.answers[1]).toEqual({ status: "404", about: "There is none", forms: ["application/problem+json"] }));
test("an answer is described field by field, parts under the whole", () =>
  expect(fields(contract, one.body!).map((f) => `${" ".repeat(f.depth)}${f.name}: ${f.type}`)).toEqual(["at: time", "part: object or null", " weight: number, 0 to 1 or null", "parts: list of object", " weight: number, 0 to 1 or null"]));
test.each([
  [{ id: "a/b" }, "/v1/things/a%2Fb"],
  [{ id: "x", kind: "a, b", limit: "" }, "/v1/things/x?kind=a&kind=b"],
])("an address is made of what was filled in: %o", (values, want) => expect(requestPath(one, values)).toBe(want));
