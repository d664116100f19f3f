// Simulates the part of the payments provider's REST API (Stripe) that billing uses. Listens on 127.0.0.1, on a free port or
// on that of the argument {port}, and prints {port}. The header Stripe-Version selects the shapes (payments_objects.mjs). The
// server serves
//
//   GET /v1/subscriptions           ?status, created, created[gte|gt|lte|lt], customer, limit, starting_after, ending_before
//   GET /v1/subscriptions/search    ?query, limit, page
//   GET /v1/subscriptions/{id}
//   GET /v1/subscription_items      ?subscription, limit, starting_after, ending_before
//   GET /v1/invoice_payments        ?payment[type], payment[payment_intent], invoice, status, limit, starting_after, ending_before
//
// A test controls the server:
//
//   PUT    /test/subscriptions      [{id, created, ...}] or {count, seed?, users?, newest?, delayMs?}: replaces all subscriptions.
//                                   The second form generates `count` subscriptions of `users` users, the newest at `newest` (Unix
//                                   time), and sets `delayMs`
//   PATCH  /test/subscriptions      [{id, created, ...}]: adds subscriptions, or replaces those with the same id
//   PUT    /test/invoice_payments   [{invoice, payment_intent, ...}]
//   PUT    /test/failures           [{path?, times?: 1, status?: 200, headers?: {}, error?: {}, text?: "", deed?: "hang" | "drop" |
//                                   "trickle"}]: the responses to the next `times` requests for `path`, or for any path. If `times`
//                                   is null: to all requests
//   PATCH  /test/settings           {key?: the only accepted key, delayMs?, now?: Unix time of the header Date, hidden?: [ids that the
//                                   search does not find yet], held?: whether requests wait for POST /test/release}; null resets
//   GET    /test/seen               [{path, query, version, idempotencyKey, authorization, trace, status}]: the received requests, in
//                                   order; DELETE clears them
//   GET    /test/waiting            {count}: the number of held requests
//   POST   /test/release            responds to the held requests, and holds no more requests
import { once } from "node:events";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { generated, hasPeriodsInItems, invoicePayment, itemsOf, listOf, subscription } from "./payments_objects.mjs";

let subscriptions = new Map(); // id -> stored subscription, newest first
let invoicePayments = [];
let failures = [];
let seen = [];
let waiting = [];
let settings = {};

class Refusal extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.error = { type: status >= 500 ? "api_error" : "invalid_request_error", ...error };
  }
}

const invalid = (message, param, code) => new Refusal(400, { message, param, ...(code && { code }) });
const missing = (kind, id, param, status = 400) =>
  new Refusal(status, { code: "resource_missing", message: `No such ${kind}: '${id}'`, param });
const unrecognized = (path) => new Refusal(404, { message: `Unrecognized request URL (GET: ${path}).` });
const statusErrors = {
  401: { message: "Invalid API Key provided: sk_****" },
  403: { message: "The provided key does not have the required permissions for this endpoint." },
  404: { message: "Unrecognized request URL." },
  429: { code: "rate_limit", message: "Request rate limit exceeded." },
};

// --- parameters

function integer(text, param) {
  if (!/^-?\d+$/.test(text)) throw invalid(`Invalid integer: ${text}`, param, "parameter_invalid_integer");
  return Number(text);
}

function limitOf({ limit = "10" }) {
  const count = integer(limit, "limit");
  if (count < 1 || count > 100) throw invalid(`This value must be between 1 and 100 (it currently is '${count}').`, "limit");
  return count;
}

function checkNames(query, names) {
  for (const name of Object.keys(query))
    if (!names.includes(name)) throw invalid(`Received unknown parameter: ${name}`, name, "parameter_unknown");
}

function required(query, name) {
  if (query[name]) return query[name];
  throw invalid(`Missing required param: ${name}.`, name, "parameter_missing");
}

/** The page of `all` that the cursors in `query` select, among the objects that `matches` accepts. `kind` names an object. */
function pageOf(all, query, kind, matches = () => true) {
  const limit = limitOf(query);
  const at = (param) => {
    const index = all.findIndex(({ id }) => id === query[param]);
    if (index < 0) throw missing(kind, query[param], param);
    return index;
  };
  const backwards = query.ending_before !== undefined;
  const from = query.starting_after === undefined ? 0 : at("starting_after") + 1;
  const rest = backwards ? all.slice(0, at("ending_before")).reverse() : all.slice(from);
  const found = [];
  for (const each of rest) if (matches(each) && found.push(each) > limit) break;
  const page = found.slice(0, limit);
  return { page: backwards ? page.reverse() : page, hasMore: found.length > limit };
}

// --- subscriptions

const comparisons = { ":": (a, b) => a === b, gte: (a, b) => a >= b, gt: (a, b) => a > b, lte: (a, b) => a <= b, lt: (a, b) => a < b };
const cursors = ["limit", "starting_after", "ending_before"];
const finished = ["canceled", "incomplete_expired"];

const isOrAny = (wanted, value) => wanted === undefined || wanted === value;

function hasStatus(wanted, status) {
  if (wanted === "all") return true;
  if (wanted === "ended") return finished.includes(status);
  return wanted === undefined ? status !== "canceled" : status === wanted;
}

function listSubscriptions(query, show) {
  const times = ["created", ...Object.keys(comparisons).map((name) => `created[${name}]`)].filter((name) => name in query);
  checkNames(query, [...cursors, ...times, "customer", "status"]);
  const created = times.map((name) => {
    const bound = integer(query[name], name);
    return (s) => comparisons[/\[(.*)\]/.exec(name)?.[1] ?? ":"](s.created, bound);
  });
  const matches = (s) => hasStatus(query.status, s.status) && created.every((test) => test(s)) && isOrAny(query.customer, s.customer);
  const { page, hasMore } = pageOf([...subscriptions.values()], query, "subscription", matches);
  return listOf("/v1/subscriptions", page.map(show), hasMore);
}

// A clause of the search query language. Values are quoted; a backslash escapes a character of a value.
const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const clause = new RegExp(String.raw`\s*(?:AND\s+)?(-?)(?:metadata\[(${quoted})\]|(status|created))(:|[<>]=?)(${quoted}|\d+)\s*`, "isuy");
const unquoted = (text) => text.slice(1, -1).replace(/\\(.)/gsu, "$1");
const signs = { ":": ":", ">=": "gte", ">": "gt", "<=": "lte", "<": "lt" };

/** The tests that a search query stands for. Text is compared without regard to case, as the provider does. */
function testsOf(query) {
  const tests = [];
  for (clause.lastIndex = 0; clause.lastIndex < query.length; ) {
    const [, minus, key, field, sign, written] = clause.exec(query) ?? [];
    if (written === undefined || (sign !== ":" && field !== "created"))
      throw invalid('We were unable to parse your search query. Use the format metadata["key"]:"value".', "query");
    const value = /^\d/.test(written) ? written : unquoted(written);
    const named = (s) => (field === "status" ? s.status : s.metadata?.[unquoted(key)]);
    const compare = comparisons[signs[sign]];
    const test = field === "created" ? (s) => compare(s.created, Number(value)) : (s) => named(s)?.toLowerCase() === value.toLowerCase();
    tests.push(minus ? (s) => !test(s) : test);
  }
  return tests;
}

function searchSubscriptions(query, show) {
  checkNames(query, ["query", "limit", "page"]);
  const limit = limitOf(query);
  const tests = testsOf(required(query, "query"));
  const from = query.page === undefined ? 0 : Number(Buffer.from(query.page, "base64url").toString());
  if (!Number.isInteger(from)) throw invalid("Invalid page.", "page");
  const found = [...subscriptions.values()].filter((s) => !settings.hidden?.includes(s.id) && tests.every((test) => test(s)));
  const hasMore = found.length > from + limit;
  const next = hasMore ? Buffer.from(String(from + limit)).toString("base64url") : null;
  const data = found.slice(from, from + limit).map(show);
  return { object: "search_result", data, has_more: hasMore, next_page: next, url: "/v1/subscriptions/search" };
}

// --- the other resources

function listItems(query, version, livemode) {
  checkNames(query, [...cursors, "subscription"]);
  const id = required(query, "subscription");
  const stored = subscriptions.get(id);
  if (stored === undefined) throw missing("subscription", id, "subscription");
  const { page, hasMore } = pageOf(itemsOf(stored, version, livemode), query, "subscription item");
  return listOf("/v1/subscription_items", page, hasMore);
}

function listInvoicePayments(query, livemode) {
  checkNames(query, [...cursors, "payment[type]", "payment[payment_intent]", "invoice", "status"]);
  const intent = query["payment[payment_intent]"];
  if (intent !== undefined && required(query, "payment[type]") !== "payment_intent")
    throw invalid("Invalid payment[type]: must be payment_intent", "payment[type]");
  const all = invoicePayments.map((given, index) => invoicePayment(given, index, livemode));
  const matches = (p) => isOrAny(intent, p.payment.payment_intent) && isOrAny(query.invoice, p.invoice) && isOrAny(query.status, p.status);
  const { page, hasMore } = pageOf(all, query, "invoice payment", matches);
  return listOf("/v1/invoice_payments", page, hasMore);
}

// --- requests

function checkKey(authorization) {
  const key = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1];
  if (key === undefined) throw new Refusal(401, { message: "You did not provide an API key." });
  if (settings.key ? key !== settings.key : !/^[rs]k_/.test(key))
    throw new Refusal(401, { message: `Invalid API Key provided: ${key.slice(0, 8)}****` });
  return key;
}

function answerTo(path, query, headers) {
  const livemode = /^[rs]k_live/.test(checkKey(headers.authorization));
  const version = headers["stripe-version"] ?? "2024-06-20";
  if (!/^\d{4}-\d\d-\d\d(\.\w+)?$/.test(version)) throw invalid(`Invalid Stripe API version: ${version}`);
  const show = (stored) => subscription(stored, version, livemode);
  if (path === "/v1/subscriptions") return listSubscriptions(query, show);
  if (path === "/v1/subscriptions/search") return searchSubscriptions(query, show);
  if (path === "/v1/subscription_items") return listItems(query, version, livemode);
  if (path === "/v1/invoice_payments" && hasPeriodsInItems(version)) return listInvoicePayments(query, livemode);
  const [, id] = /^\/v1\/subscriptions\/([^/]+)$/.exec(path) ?? [];
  if (id === undefined) throw unrecognized(path);
  checkNames(query, []);
  const stored = subscriptions.get(decodeURIComponent(id));
  if (stored === undefined) throw missing("subscription", decodeURIComponent(id), "id", 404);
  return show(stored);
}

/** The failure that the test has set for this request, if any. Uses it up. */
function failureFor(path) {
  const failure = failures.find((each) => each.times !== 0 && (each.path ?? path) === path);
  if (failure && failure.times !== null) failure.times = (failure.times ?? 1) - 1;
  return failure;
}

/** The status and body for a request. `failure` is the failure that the test has set, or {}. */
function outcomeOf(path, query, headers, { status = 200, error }) {
  try {
    if (status !== 200) throw new Refusal(status, error ?? statusErrors[status] ?? { message: "An error occurred." });
    return { status, body: answerTo(path, query, headers) };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { status: refusal.status, body: { error: refusal.error } };
  }
}

/** The response to a request: {status, headers, text, deed}. */
function responseTo(path, query, headers) {
  const failure = failureFor(path) ?? {};
  if (failure.text !== undefined) return { status: 200, ...failure };
  const { status, body } = outcomeOf(path, query, headers, failure);
  return { ...failure, status, text: JSON.stringify(body) };
}

function send(response, { status, headers, text, deed }) {
  if (response.destroyed || deed === "hang") return;
  if (deed === "drop") return response.socket.destroy();
  const date = settings.now ? { date: new Date(settings.now * 1000).toUTCString() } : {};
  const length = Buffer.byteLength(text) + (deed === "trickle" ? 1 : 0);
  const own = { "content-type": "application/json", "content-length": length, "request-id": `req_${seen.length}` };
  response.writeHead(status, { ...own, ...date, ...headers });
  if (deed === "trickle") response.write(text); // the last byte is never sent
  else response.end(text);
}

/** Computes the response when the request arrives, and sends it after the delay or release that the test has set. */
async function serve(path, query, headers, response) {
  const answer = responseTo(path, query, headers);
  const { "stripe-version": version = null, "idempotency-key": idempotencyKey = null } = headers;
  const { authorization = null, traceparent: trace = null } = headers;
  seen.push({ path, query, version, idempotencyKey, authorization, trace, status: answer.status });
  if (version) response.setHeader("stripe-version", version);
  if (idempotencyKey) response.setHeader("idempotency-key", idempotencyKey);
  if (settings.held) return void waiting.push(() => send(response, answer));
  if (settings.delayMs) await sleep(settings.delayMs);
  send(response, answer);
}

// --- the test's control of the server

function store(list, known = new Map()) {
  for (const each of list) known.set(each.id, { customer: "cus_1", status: "active", ...each });
  const newestFirst = [...known.values()].sort((a, b) => b.created - a.created);
  subscriptions = new Map(newestFirst.map((each) => [each.id, each]));
}

function generate({ delayMs, ...options }) {
  store(Array.from({ length: options.count }, (_, index) => generated(index, options)));
  settings.delayMs = delayMs;
}

function release() {
  settings.held = false;
  for (const go of waiting.splice(0)) go();
}

const controls = {
  "PUT /test/subscriptions": (given) => void (Array.isArray(given) ? store(given) : generate(given)),
  "PATCH /test/subscriptions": (given) => void store(given, subscriptions),
  "PUT /test/invoice_payments": (given) => void (invoicePayments = given),
  "PUT /test/failures": (given) => void (failures = given),
  "PATCH /test/settings": (given) => void (settings = { ...settings, ...given }),
  "GET /test/seen": () => seen,
  "DELETE /test/seen": () => void (seen = []),
  "GET /test/waiting": () => ({ count: waiting.length }),
  "POST /test/release": release,
};

const server = http.createServer(async (request, response) => {
  response.on("error", () => {});
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [, path, search] = /^([^?]*)\??(.*)$/s.exec(request.url); // URL would resolve `%2E%2E`
  if (request.method === "GET" && path.startsWith("/v1/"))
    return serve(path, Object.fromEntries(new URLSearchParams(search)), request.headers, response);
  const control = controls[`${request.method} ${path}`];
  const text = Buffer.concat(chunks).toString();
  response.writeHead(control ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(control?.(text ? JSON.parse(text) : undefined) ?? {}));
});

const { port = 0 } = JSON.parse(process.argv[2] ?? "{}");
server.listen(port, "127.0.0.1");
await once(server, "listening");
console.log(JSON.stringify({ port: server.address().port }));
