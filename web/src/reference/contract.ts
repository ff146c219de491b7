// The service's OpenAPI document as the reference shows it: operations in groups, their parameters in words, and what an
// answer holds, field by field.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface Media { schema?: Schema }
interface Answer { $ref?: string; description?: string; content?: Record<string, Media> }
interface RawParameter { name: string; in: string; required?: boolean; description?: string; schema?: Schema }
interface RawOperation { summary?: string; description?: string; tags?: string[]; operationId?: string; parameters?: RawParameter[]; responses?: Record<string, Answer> }
export interface Contract {
  info: { title: string; version: string; summary?: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, Answer> };
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  about: string;
  type: string;
  /** Words to choose one from; empty where anything of the type goes. */
  choices: string[];
  several: boolean;
  example: string;
}
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  about: string;
  parameters: Parameter[];
  answers: { status: string; about: string; forms: string[] }[];
  /** What a good answer in JSON holds. */
  body: Schema | null;
}
export interface Group { name: string; about: string; operations: Operation[] }
export interface Field { name: string; depth: number; type: string; about: string }

/** Longer lists of words are shown as their number. */
const MOST_CHOICES = 12;
/** Deeper levels are left to an example answer. */
const DEEPEST = 6;

const last = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

/** A schema itself where another is referred to; the words next to the reference stay. */
function resolve(contract: Contract, schema: Schema): Schema {
  if (schema.$ref) return { ...contract.components?.schemas?.[last(schema.$ref)], ...(schema.description ? { description: schema.description } : {}) };
  const one = schema.oneOf?.find((s) => s.type !== "null") ?? schema.allOf?.[0];
  return one ? { ...resolve(contract, one), ...(schema.description ? { description: schema.description } : {}) } : schema;
}

function typeOf(contract: Contract, given: Schema): string {
  const schema = resolve(contract, given);
  const orNull = (Array.isArray(schema.type) && schema.type.includes("null")) || given.oneOf?.some((s) => s.type === "null") ? " or null" : "";
  const kind = Array.isArray(schema.type) ? schema.type.filter((t) => t !== "null").join(" or ") : (schema.type ?? "object");
  if (kind === "array") return `list of ${typeOf(contract, schema.items ?? {})}${orNull}`;
  if (schema.enum) return (schema.enum.length > MOST_CHOICES ? `one of ${schema.enum.length} words` : schema.enum.join(" | ")) + orNull;
  if (schema.format === "date-time") return `time${orNull}`;
  const bounds = schema.minimum !== undefined && schema.maximum !== undefined ? `, ${schema.minimum} to ${schema.maximum}` : "";
  return `${kind}${bounds}${orNull}`;
}

function parameter(contract: Contract, raw: RawParameter): Parameter {
  const schema = resolve(contract, raw.schema ?? {});
  const several = schema.type === "array";
  const words = (several ? resolve(contract, schema.items ?? {}) : schema).enum ?? [];
  const otherwise = schema.default === undefined ? "" : ` Without it: ${String(schema.default)}.`;
  const example = schema.example ?? (raw.required ? words[0] : undefined);
  return { name: raw.name, in: raw.in, required: raw.required ?? false, about: `${raw.description ?? ""}${otherwise}`, type: typeOf(contract, raw.schema ?? {}), choices: words.map(String), several, example: example === undefined ? "" : String(example) };
}

export function groups(contract: Contract): Group[] {
  const found = new Map<string, Group>((contract.tags ?? []).map((t) => [t.name, { name: t.name, about: t.description ?? "", operations: [] }]));
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      const name = raw.tags?.[0] ?? "";
      const group = found.get(name) ?? { name, about: "", operations: [] };
      found.set(name, group);
      const answers = Object.entries(raw.responses ?? {}).map(([status, given]) => {
        const answer = given.$ref ? (contract.components?.responses?.[last(given.$ref)] ?? {}) : given;
        return { status, about: answer.description ?? "", forms: Object.keys(answer.content ?? {}) };
      });
      const body = raw.responses?.["200"]?.content?.["application/json"]?.schema ?? null;
      group.operations.push({ id: raw.operationId ?? `${method}${path}`, method: method.toUpperCase(), path, summary: raw.summary ?? "", about: raw.description ?? "", parameters: (raw.parameters ?? []).map((p) => parameter(contract, p)), answers, body });
    }
  }
  return [...found.values()].filter((group) => group.operations.length > 0);
}

/** Everything in an answer, parts under what they are part of. */
export function fields(contract: Contract, given: Schema, depth = 0): Field[] {
  const schema = resolve(contract, given);
  if (schema.type === "array" && schema.items) return fields(contract, schema.items, depth);
  const named = Object.entries(schema.properties ?? {});
  if (typeof schema.additionalProperties === "object") named.push(["(any name)", schema.additionalProperties]);
  if (depth > DEEPEST) return [];
  return named.flatMap(([name, inner]) => [{ name, depth, type: typeOf(contract, inner), about: resolve(contract, inner).description ?? inner.items?.description ?? "" }, ...fields(contract, inner, depth + 1)]);
}

/** The address of a request with what was filled in; lists are separated by commas in the form and repeated in the address. */
export function requestPath(operation: Operation, values: Record<string, string>): string {
  let path = operation.path;
  const query = new URLSearchParams();
  for (const p of operation.parameters) {
    const value = (values[p.name] ?? "").trim();
    if (p.in === "path") path = path.replace(`{${p.name}}`, encodeURIComponent(value));
    else if (p.in === "query" && value !== "") for (const one of p.several ? value.split(",") : [value]) query.append(p.name, one.trim());
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}
