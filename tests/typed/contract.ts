// Compares requests and responses with a contract of proto/.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { readFileSync } from "node:fs";
import path from "node:path";
import YAML from "yaml";

/** A request and its response, as sent over the wire. */
export interface Exchange {
  method: string;
  url: URL;
  requestHeaders: Headers;
  requestBody: Buffer;
  status: number;
  headers: Headers;
  body: Buffer;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Node = { [name: string]: any };
type Operation = { name: string; segments: string[]; item: Node; node: Node };

const methods = ["get", "put", "post", "patch", "delete"];

/** The document with every reference replaced by its target. Members beside a reference override those of the target. */
function dereferenced(file: string): Node {
  const files = new Map<string, Node>();
  const load = (name: string): Node => {
    if (!files.has(name)) files.set(name, YAML.parse(readFileSync(name, "utf8"), { maxAliasCount: -1 }));
    return files.get(name)!;
  };
  const resolve = (value: any, from: string): any => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, from));
    if (value === null || typeof value !== "object") return value;
    const { $ref, ...rest } = value;
    const own = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, resolve(member, from)]));
    if ($ref === undefined) return own;
    const [name, pointer] = $ref.split("#");
    const target = name === "" ? from : path.join(path.dirname(from), name);
    const found = pointer
      .split("/")
      .slice(1)
      .reduce((at: any, key: string) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")], load(target));
    if (found === undefined) throw new Error(`nothing at ${$ref} of ${from}`);
    return { ...resolve(found, target), ...own };
  };
  return resolve(load(file), file);
}

/** The schema with closed objects: a member that the schema does not name is a fault. */
function closed(schema: any, isPart = false): any {
  if (Array.isArray(schema)) return schema.map((one) => closed(one));
  if (schema === null || typeof schema !== "object") return schema;
  const out: Node = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "properties") out[name] = Object.fromEntries(Object.entries(value as Node).map(([key, member]) => [key, closed(member)]));
    else if (name === "allOf") out[name] = (value as Node[]).map((part) => closed(part, true));
    else if (name === "items" || name === "oneOf" || name === "additionalProperties") out[name] = closed(value);
    else out[name] = value;
  }
  if ("allOf" in out) out["type"] = "object";
  if (!isPart && ("properties" in out || "allOf" in out) && !("additionalProperties" in out)) out["unevaluatedProperties"] = false;
  return out;
}

/** The schema as it is: requests may have more members, which services ignore. */
const open = (schema: Node): Node => schema;

const mediaType = (headers: Headers): string => (headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
const isJson = (type: string): boolean => /^application\/(.+\+)?json$/.test(type);

/** The value of a parameter or header, converted to the type of its schema. */
function typed(text: string, schema: Node): Json {
  const types: string[] = [schema["type"]].flat();
  if (types.includes("integer") && /^-?\d+$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

export class Contract {
  readonly #ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  readonly #compiled = new Map<Node, ValidateFunction>();
  readonly #security: Node;
  readonly #schemes: Node;
  readonly #operations: Operation[] = [];
  readonly #succeeded = new Set<string>();

  constructor(file: string) {
    formats.default(this.#ajv);
    this.#ajv.addVocabulary(["example"]);
    const document = dereferenced(file);
    this.#security = document["security"];
    this.#schemes = document["components"].securitySchemes;
    for (const [at, item] of Object.entries(document["paths"] as Node))
      for (const method of methods)
        if (method in item)
          this.#operations.push({ name: `${method.toUpperCase()} ${at}`, segments: at.split("/"), item, node: item[method] });
  }

  /** Names (`GET /v1/audit`) of the operations that have not succeeded in any checked request. */
  unused(): string[] {
    return this.#operations
      .map(({ name }) => name)
      .filter((name) => !this.#succeeded.has(name))
      .sort();
  }

  /** Compiles every schema of the contract and returns the errors. */
  unchecked(): string[] {
    const faults: string[] = [];
    const compile = (name: string, schema: Node | undefined, read: typeof closed): void => {
      try {
        if (schema !== undefined) this.#ajv.compile(read(schema));
      } catch (error) {
        faults.push(`${name}: ${error}`);
      }
    };
    for (const { name, item, node } of this.#operations) {
      for (const { schema } of [...(item["parameters"] ?? []), ...(node["parameters"] ?? [])]) compile(name, schema, open);
      for (const media of Object.values((node["requestBody"]?.content ?? {}) as Node)) compile(name, media.schema, open);
      for (const { headers, content } of Object.values(node["responses"] as Node)) {
        for (const { schema } of Object.values((headers ?? {}) as Node)) compile(name, schema, open);
        for (const media of Object.values((content ?? {}) as Node)) compile(name, media.schema, closed);
      }
    }
    return faults;
  }

  /** Deviations of a request and its response from the contract. A redirect is a success. If the response is a refusal, only the response
      is checked, because the request may be invalid on purpose. */
  faultsOf(exchange: Exchange): string[] {
    const operation = this.#find(exchange);
    if (operation === undefined) return [`${exchange.method} ${exchange.url.pathname} is not in the contract`];
    const succeeded = exchange.status < 400;
    const faults = this.#faultsOfAnswer(operation, exchange);
    if (succeeded) faults.push(...this.#faultsOfRequest(operation, exchange));
    if (succeeded && faults.length === 0) this.#succeeded.add(operation.name);
    return faults.map((fault) => `${operation.name} ${exchange.status}: ${fault}`);
  }

  /** Returns the operation that the request called. If several paths match, the path with the fewest parameters is used. */
  #find({ method, url }: Exchange): Operation | undefined {
    const parts = url.pathname.split("/");
    const fits = ({ name, segments }: Operation): boolean =>
      name.startsWith(`${method} `) &&
      segments.length === parts.length &&
      segments.every((s, i) => (s.startsWith("{") ? parts[i] !== "" : s === parts[i]));
    const places = ({ segments }: Operation): number => segments.filter((s) => s.startsWith("{")).length;
    return this.#operations.filter(fits).sort((a, b) => places(a) - places(b))[0];
  }

  #faultsOfAnswer({ node }: Operation, { status, headers, body }: Exchange): string[] {
    const response: Node | undefined = node["responses"][status] ?? (status >= 400 ? node["responses"].default : undefined);
    if (response === undefined) return ["the status is not in the contract"];
    const faults: string[] = [];
    for (const [name, header] of Object.entries((response["headers"] ?? {}) as Node)) {
      const value = headers.get(name);
      if (value === null && header.required) faults.push(`the response lacks ${name}`);
      if (value !== null) faults.push(...this.#faultsOf(typed(value, header.schema), header.schema, `response's ${name}`));
    }
    const content: Node | undefined = response["content"];
    if (content === undefined) return body.length === 0 ? faults : [...faults, "the response has a body"];
    const type = mediaType(headers);
    const media: Node | undefined = content[type] ?? content["*/*"];
    if (media === undefined) return [...faults, `the response is ${type || "of no type"}`];
    if (media["schema"] !== undefined) faults.push(...this.#faultsOf(JSON.parse(body.toString()), media["schema"], "response", closed));
    return faults;
  }

  #faultsOfRequest({ segments, item, node }: Operation, { url, requestHeaders, requestBody }: Exchange): string[] {
    const faults: string[] = [];
    const parameters: Node[] = [...(item["parameters"] ?? []), ...(node["parameters"] ?? [])];
    const cookies = new Map((requestHeaders.get("cookie") ?? "").split("; ").map((pair) => pair.split("=") as [string, string]));
    const parts = url.pathname.split("/");
    const given: { [place: string]: (name: string) => string | null | undefined } = {
      path: (name) => decodeURIComponent(parts[segments.indexOf(`{${name}}`)]!),
      query: (name) => url.searchParams.get(name),
      header: (name) => requestHeaders.get(name),
      cookie: (name) => cookies.get(name),
    };
    for (const { name, in: place, required, schema } of parameters) {
      const value = given[place]!(name) ?? null;
      if (value === null && required) faults.push(`the request lacks ${name}`);
      if (value !== null) faults.push(...this.#faultsOf(typed(value, schema), schema, `request's ${name}`));
    }
    for (const name of url.searchParams.keys())
      if (!parameters.some((known) => known["in"] === "query" && known["name"] === name)) faults.push(`?${name} is not in the contract`);
    return [
      ...faults,
      ...this.#faultsOfBody(node["requestBody"], requestHeaders, requestBody),
      ...this.#faultsOfCredential(node, requestHeaders),
    ];
  }

  #faultsOfBody(asked: Node | undefined, headers: Headers, body: Buffer): string[] {
    if (body.length === 0) return asked?.["required"] ? ["the request lacks its body"] : [];
    if (asked === undefined) return ["the contract has no body"];
    const type = mediaType(headers);
    const media: Node | undefined = asked["content"][type] ?? asked["content"]["*/*"];
    if (media === undefined) return [`the request is ${type || "of no type"}`];
    if (media["schema"] === undefined) return [];
    const value = isJson(type) ? JSON.parse(body.toString()) : Object.fromEntries(new URLSearchParams(body.toString()));
    return this.#faultsOf(value, media["schema"], "request");
  }

  #faultsOfCredential(node: Node, headers: Headers): string[] {
    const alternatives: Node[] = node["security"] ?? this.#security;
    const has = (name: string): boolean => {
      const scheme = this.#schemes[name];
      return scheme.type === "apiKey" ? headers.has(scheme.name) : (headers.get("authorization") ?? "").startsWith("Bearer ");
    };
    return alternatives.length === 0 || alternatives.some((one) => Object.keys(one).every(has))
      ? []
      : ["it succeeded without a credential"];
  }

  #faultsOf(value: Json, schema: Node, what: string, read: typeof closed = open): string[] {
    if (!this.#compiled.has(schema)) this.#compiled.set(schema, this.#ajv.compile(read(schema)));
    const validate = this.#compiled.get(schema)!;
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => `the ${what}${instancePath} ${message} ${JSON.stringify(params)}`);
  }
}
