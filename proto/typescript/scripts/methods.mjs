// The text of the generated methods and of the error codes.
import { codesIn, resolved } from "./contracts.mjs";

const width = 120;

/** The text of `<area>-methods.ts`. */
export function methodsFile({ name, contract, base }, { document, operations }) {
  const described = operations.map((operation) => ({ ...operation, kind: kindOf(document, operation) }));
  const kinds = new Set(described.map(({ kind }) => kind.name));
  const used = (kind, what) => (kinds.has(kind) ? [what] : []);
  const types = [
    ...(described.some(({ node }) => jsonBody(node)) ? ["Body"] : []),
    ...used("pages", "Items"),
    ...(described.some(({ query }) => query.length > 0) ? ["Query"] : []),
    "Result",
  ];
  const imports = [
    'import type { Call } from "../call.js";',
    `import { Area, type ${[...(kinds.has("binary") ? ["Binary"] : []), "CallOptions"].join(", type ")} } from "../client.js";`,
    ...used("lines", 'import type { ExportLine, Lines } from "../lines.js";'),
    ...used("pages", 'import type { Pages } from "../pages.js";'),
    `import type { ${types.join(", ")} } from "../types.js";`,
    `import type { operations } from "./${name}.js";`,
  ];
  return `// Generated from proto/${contract}.openapi.yaml by proto/typescript/scripts/generate.mjs.
${imports.join("\n")}

/** One method for each operation of the service's contract. */
export class ${base} extends Area {
${described.map(method).join("\n\n")}
}
`;
}

/** The text of `error-codes.ts`. */
export function errorsFile(codes) {
  return `// Generated from the contracts of proto/ by proto/typescript/scripts/generate.mjs.

/** Codes of the errors that the services return, in the member \`error\` of a problem. */
export type ErrorCode =
${codes.map((code) => `  | "${code}"`).join("\n")};
`;
}

const jsonBody = (node) => node.requestBody?.content["application/json"] !== undefined;

/** How a method answers: a list with its members, newline-delimited JSON, an upload of bytes, or one JSON value. */
function kindOf(document, { node, query }) {
  if (node.requestBody !== undefined && !jsonBody(node)) return { name: "binary", types: Object.keys(node.requestBody.content) };
  const content = Object.values(node.responses)[0]?.content ?? {};
  if (content["application/x-ndjson"] !== undefined) return { name: "lines" };
  const { properties = {} } = resolved(document, content["application/json"]?.schema) ?? {};
  const cursor = ["cursor", "nextCursor"].find((one) => one in properties);
  const items = Object.keys(properties).find((one) => resolved(document, properties[one]).type === "array");
  const isList = node.operationId.startsWith("list") && cursor !== undefined && items !== undefined;
  if (isList && !query.some((one) => one.name === "cursor") && cursor !== "cursor") throw new Error(`${node.operationId}: no ?cursor`);
  return isList ? { name: "pages", items } : { name: "call" };
}

function method(operation) {
  const { node, kind } = operation;
  const id = node.operationId;
  const operationType = `operations["${id}"]`;
  const result = {
    binary: `Call<Result<${operationType}>>`,
    call: `Call<Result<${operationType}>>`,
    lines: "Lines<Line>",
    pages: `Pages<Items<Result<${operationType}>, "${kind.items}">, Result<${operationType}>>`,
  }[kind.name];
  const head = `${id}${kind.name === "lines" ? "<Line = ExportLine>" : ""}`;
  const parameters = parametersOf(operation, operationType).map(({ text }) => text);
  const line = `  ${head}(${parameters.join(", ")}): ${result} {`;
  const signature = line.length <= width ? line : `  ${head}(\n${parameters.map((one) => `    ${one},\n`).join("")}  ): ${result} {`;
  return `${comment(operation)}\n${signature}\n    ${statement(operation)}\n  }`;
}

/** The parameters of a method, in order, each with its text for TSDoc. */
function parametersOf({ node, kind, path, query }, operationType) {
  const list = path.map(({ name, description, schema }) => ({
    name,
    text: `${name}: ${schema?.enum ? schema.enum.map((value) => JSON.stringify(value)).join(" | ") : "string"}`,
    about: description ?? "",
  }));
  if (jsonBody(node)) {
    const optional = node.requestBody.required ? "" : "?";
    list.push({ name: "body", text: `body${optional}: Body<${operationType}>`, about: node.requestBody.description ?? "Body of the request." });
  }
  if (kind.name === "binary")
    list.push({ name: "data", text: "data: Binary", about: `The bytes: ${kind.types.map((type) => `\`${type}\``).join(" or ")}.` });
  if (query.length > 0) {
    const optional = query.some(({ required }) => required) ? "" : "?";
    const names = query.map(({ name }) => `\`${name}\``).join(", ");
    list.push({ name: "query", text: `query${optional}: Query<${operationType}>`, about: `Query parameters: ${names}.` });
  }
  const type = kind.name === "binary" ? `CallOptions & { contentType?: ${kind.types.map((one) => `"${one}"`).join(" | ")} }` : "CallOptions";
  const about = kind.name === "binary" ? "Options of this call. `contentType` is the type of a `Blob` by default." : "Options of this call.";
  return [...list, { name: "options", text: `options?: ${type}`, about }];
}

function statement({ url, method: verb, node, kind, path, query, headers, security }) {
  const has = (condition, text) => (condition ? [text] : []);
  const members = [
    ...has(path.length > 0, `path: { ${path.map(({ name }) => name).join(", ")} }`),
    ...has(jsonBody(node), "body"),
    ...has(kind.name === "binary", "data"),
    ...has(query.length > 0, "query"),
    ...has(headers.includes("Idempotency-Key"), "keyed: true"),
    ...has(security.length === 0, "anonymous: true"),
  ];
  const values = [
    ...has(kind.name === "call" || kind.name === "binary", `"${verb.toUpperCase()}"`),
    `"${url}"`,
    members.length === 0 ? "{}" : `{ ${members.join(", ")} }`,
    "options",
    ...has(kind.name === "pages" && kind.items !== "items", `"${kind.items}"`),
  ];
  return `return this.${kind.name === "binary" ? "call" : kind.name}(${values.join(", ")});`;
}

/** The TSDoc of a method. */
function comment({ node, kind, ...rest }) {
  const general = new Set(["UNAUTHORIZED", "INTERNAL"]);
  const codes = [node.description ?? "", ...node.errors.filter((text) => !text.startsWith("Any other error"))]
    .flatMap(codesIn)
    .filter(({ code }) => !general.has(code))
    .map(({ status, code }) => `${status} \`${code}\``);
  const answer = Object.values(node.responses)[0]?.description ?? "";
  const parts = [
    [`${node.summary}.`],
    (node.description ?? "").trim().split("\n"),
    [
      ...parametersOf({ node, kind, ...rest }, "").map(({ name, about }) => `@param ${name} - ${sentence(about)}`),
      `@returns ${sentence(answer)}`,
      ...(codes.length > 0 ? [`@throws ApiError ${[...new Set(codes)].join(", ")}`] : []),
    ],
  ];
  const lines = parts.map((part) => part.join("\n")).filter((part) => part !== "").join("\n\n").split("\n");
  return ["  /**", ...lines.map((line) => `   * ${safe(line)}`.trimEnd()), "   */"].join("\n");
}

const sentence = (text) => text.trim().replace(/\s+/g, " ").replace(/([^.!?])$/, "$1.");
/** Text in which nothing ends the comment or begins a tag. */
const safe = (text) => text.replaceAll("*/", "*\\/").replace(/^(\s*)@(?!param|returns|throws)/, "$1\\@");
