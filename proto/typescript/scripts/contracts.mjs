// Reads the contracts of proto/ and selects the operations that the client has.
import { bundle, createConfig } from "@redocly/openapi-core";
import path from "node:path";
import { fileURLToPath } from "node:url";

const proto = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The areas: name of the generated files, contract and class. */
export const areas = [
  { name: "feedback", contract: "feedback", base: "FeedbackMethods" },
  { name: "auth", contract: "auth-mfa", base: "AuthMethods" },
  { name: "notify", contract: "notify", base: "NotifyMethods" },
  { name: "billing", contract: "billing", base: "BillingMethods" },
];

/** Paths without a method of the client, with the reason. */
const excluded = [
  [/^\/$|^\/docs/, "pages for people, and the contract itself"],
  [/^\/board(?!\/threads)/, "hosted pages of the board and their assets"],
  [/^\/(login|register|reset|verify-email|invite|confirm-email|revert-email|enroll|logo|pages\.(css|js))$/, "hosted pages of auth-mfa"],
  [/^\/console(?:\/|$)/, "the console, a page of auth-mfa"],
  [/^\/console/, "the hosted console"],
  [/^\/unsubscribe/, "links in emails"],
  [/^\/webhooks\//, "requests of providers"],
  [/^\/v1\/erasures$/, "POST: requests of auth-mfa to the other services", "post"],
  [/^\/(uploads|downloads)\//, "signed URLs: uploadAttachment uses the first, and any HTTP client the second"],
  [/^\/(oauth|\.well-known)\//, "OpenID Connect: use a library for OpenID Connect"],
];

const methods = ["get", "put", "post", "patch", "delete"];
const isExcluded = (url, method) => excluded.some(([pattern, , only]) => pattern.test(url) && (only ?? method) === method);

/** The document of an area with internal references only, without the excluded operations, headers and error responses. */
export async function contractOf({ contract }) {
  const config = await createConfig({});
  const { bundle: bundled, problems } = await bundle({ ref: path.join(proto, `${contract}.openapi.yaml`), config });
  if (problems.length > 0) throw new Error(`${contract}: ${problems[0].message}`);
  const document = bundled.parsed;
  const codes = errorCodes(document);
  const operations = [];
  for (const [url, item] of Object.entries(document.paths)) {
    const shared = item.parameters ?? [];
    for (const method of methods) {
      if (item[method] === undefined) continue;
      if (isExcluded(url, method)) delete item[method];
      else operations.push(reduced(document, { url, method, node: item[method], shared }));
    }
    if (!methods.some((method) => method in item)) delete document.paths[url];
    else if (shared.length > 0) item.parameters = shared.map((one) => resolved(document, one)).filter(isArgument);
  }
  const { schemas } = document.components;
  document.components = { schemas };
  return { document, operations, codes };
}

/** The target of a reference, with the members beside the reference. */
export function resolved(document, node) {
  if (node?.$ref === undefined) return node;
  const { $ref, ...rest } = node;
  const target = $ref
    .split("/")
    .slice(1)
    .reduce((at, key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  return { ...resolved(document, target), ...rest };
}

const isArgument = ({ in: place }) => place === "path" || place === "query";

/** Reduces an operation to the parts that the client uses. All changes are made in the document, too. */
function reduced(document, { url, method, node, shared }) {
  const own = (node.parameters ?? []).map((one) => resolved(document, one));
  const all = [...shared.map((one) => resolved(document, one)), ...own];
  const answers = Object.entries(node.responses).filter(([status]) => status.startsWith("2"));
  node.errors = Object.entries(node.responses)
    .filter(([status]) => !status.startsWith("2"))
    .map(([, answer]) => resolved(document, answer).description ?? "");
  node.parameters = own.filter(isArgument);
  node.responses = Object.fromEntries(
    answers.map(([status, answer]) => {
      const { description, content } = resolved(document, answer);
      return [status, content === undefined ? { description } : { description, content }];
    }),
  );
  if (node.requestBody !== undefined) node.requestBody = resolved(document, node.requestBody);
  delete node["x-codeSamples"];
  return {
    url,
    method,
    node,
    security: node.security ?? document.security,
    headers: all.filter(({ in: place }) => place === "header").map(({ name }) => name),
    path: all.filter(({ in: place }) => place === "path"),
    query: all.filter(({ in: place }) => place === "query"),
  };
}

/** The codes after a status in a text, for example `404 NOT_FOUND`. */
export function codesIn(text) {
  const found = text.replace(/\s+/g, " ").matchAll(/\b([45]\d\d) ((?:`[A-Za-z_]+`(?:, | or | and )?)+)/g);
  return [...found].flatMap(([, status, codes]) => [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => ({ status, code })));
}

/** All error codes of a document. The codes of OpenID Connect are in lower case, except two that are part of the sign-in. */
function errorCodes(document) {
  const found = new Set(["mfa_required", "mfa_enrollment_required"]);
  const visit = (node, name) => {
    if (typeof node === "string" && name === "error" && /^[A-Z_]+$/.test(node)) found.add(node);
    if (typeof node === "string" && name === "description") for (const { code } of codesIn(node)) if (/^[A-Z]/.test(code)) found.add(code);
    if (node !== null && typeof node === "object") for (const [key, value] of Object.entries(node)) visit(value, key);
  };
  visit(document);
  return found;
}
