// Calls payments_provider.mjs with Stripe's own package, and checks that the responses have the form that Stripe documents
// and that the package expects. Covers an API version of each of the two shapes of subscriptions. argv[2] is the server's
// URL. Prints {versions, requests}: the checked API versions, and the number of requests that the package sent.
import assert from "node:assert/strict";
import Stripe from "stripe";

const url = new URL(process.argv[2]);
const server = { host: url.hostname, port: url.port, protocol: "http" };
const key = "sk_test_package";
const created = 1_767_225_600;
const month = 30 * 24 * 3600;

async function control(method, path, body) {
  const response = await fetch(new URL(`/test/${path}`, url), { method, body: body && JSON.stringify(body) });
  assert.equal(response.status, 200);
  return response.json();
}

const client = (apiVersion, options = {}) =>
  new Stripe(options.key ?? key, { apiVersion, ...server, maxNetworkRetries: 0, ...options.config });

async function all(pages) {
  const found = [];
  for await (const each of pages) found.push(each);
  return found;
}
const ids = (objects) => objects.map(({ id }) => id);

/** Fifty subscriptions, newest first; the first has 45 items, the second is canceled, the third has a difficult user id. */
const difficult = `o'Neil "\\" \u{1F600}`;
const numbers = Array.from({ length: 50 }, (_, n) => n);
const item = (_, n) => ({ id: `si_${n}`, price: `price_${n}`, current_period_end: created + month });
const items = (count) => Array.from({ length: count }, item);
const subscriptions = numbers.map((n) => ({
  id: `sub_${n}`,
  created: created - n,
  status: n === 1 ? "canceled" : "active",
  customer: `cus_${n % 2}`,
  metadata: { userId: n === 2 ? difficult : n < 25 ? "ada" : "Bob" },
  items: items(n === 0 ? 45 : 1),
}));
const payments = [
  { payment_intent: "pi_1", invoice: "in_1", status: "canceled" },
  { payment_intent: "pi_2", invoice: "in_2" },
  { payment_intent: "pi_1", invoice: "in_3" },
];

async function checkLists(stripe) {
  const everything = ids(subscriptions);
  assert.deepEqual(ids(await all(stripe.subscriptions.list({ status: "all", limit: 7 }))), everything);
  assert.deepEqual(ids(await all(stripe.subscriptions.list({ limit: 100 }))), everything.filter((id) => id !== "sub_1"));
  assert.deepEqual(ids((await stripe.subscriptions.list({ status: "canceled" })).data), ["sub_1"]);
  assert.equal((await all(stripe.subscriptions.list({ status: "all", customer: "cus_1", limit: 10 }))).length, 25);
  const recent = await stripe.subscriptions.list({ status: "all", created: { gte: created - 4, lt: created }, limit: 3 });
  assert.deepEqual([ids(recent.data), recent.has_more], [["sub_1", "sub_2", "sub_3"], true]);
  assert.deepEqual([recent.object, recent.url], ["list", "/v1/subscriptions"]);
  const before = await stripe.subscriptions.list({ status: "all", ending_before: "sub_5", limit: 2 });
  assert.deepEqual([ids(before.data), before.has_more], [["sub_3", "sub_4"], true]);
  assert.deepEqual(ids(await all(stripe.subscriptionItems.list({ subscription: "sub_0", limit: 20 }))), ids(items(45)));
}

async function checkSearch(stripe) {
  const search = (query, limit = 100) => stripe.subscriptions.search({ query, limit });
  assert.deepEqual(ids(await all(search("metadata['userId']:'ada'", 10))), ids(subscriptions.filter((s) => s.metadata.userId === "ada")));
  const page = await search('metadata["userId"]:"bob" AND status:"active"', 5); // without regard to case
  assert.deepEqual([page.object, page.has_more, typeof page.next_page, page.data.length], ["search_result", true, "string", 5]);
  const escaped = difficult.replace(/['\\]/g, "\\$&");
  const found = await search(`metadata['userId']:'${escaped}'`);
  assert.deepEqual([ids(found.data), found.has_more, found.next_page], [["sub_2"], false, null]);
  assert.equal((await search(`created>=${created - 1} -status:'canceled'`)).data.length, 1);
}

async function checkShapes(stripe, periodsInItems) {
  const subscription = await stripe.subscriptions.retrieve("sub_0");
  const { items, ...own } = subscription;
  assert.deepEqual([own.object, own.status, own.customer, own.livemode], ["subscription", "active", "cus_0", false]);
  assert.deepEqual(own.metadata, { userId: "ada" });
  assert.deepEqual([items.object, items.data.length, items.has_more], ["list", 20, true]);
  const [item] = items.data;
  assert.deepEqual([item.object, item.subscription, item.plan.id], ["subscription_item", "sub_0", "price_0"]);
  assert.deepEqual([item.price.object, item.price.id, item.price.type], ["price", "price_0", "recurring"]);
  assert.equal(periodsInItems ? item.current_period_end : own.current_period_end, created + month);
  assert.equal("current_period_end" in own, !periodsInItems);
  assert.equal("current_period_end" in item, periodsInItems);
  assert.equal(subscription.lastResponse.apiVersion, stripe.getApiField("version"));
}

async function checkInvoicePayments(stripe, exists) {
  const payment = { type: "payment_intent", payment_intent: "pi_1" };
  const listed = stripe.invoicePayments.list({ payment });
  if (!exists) return void (await assert.rejects(listed, { type: "StripeInvalidRequestError", statusCode: 404 }));
  const found = (await listed).data;
  assert.deepEqual(found.map(({ object, invoice, status }) => [object, invoice, status]),
    [["invoice_payment", "in_1", "canceled"], ["invoice_payment", "in_3", "paid"]]);
  assert.deepEqual(found[0].payment, { payment_intent: "pi_1", type: "payment_intent" });
  const incomplete = stripe.invoicePayments.list({ payment: { payment_intent: "pi_1" } });
  await assert.rejects(incomplete, { code: "parameter_missing", param: "payment[type]" });
}

async function checkErrors(stripe, version) {
  const invalid = (expected) => ({ type: "StripeInvalidRequestError", rawType: "invalid_request_error", statusCode: 400, ...expected });
  const missing = { code: "resource_missing" };
  await assert.rejects(stripe.subscriptions.retrieve("sub_none"), invalid({ ...missing, statusCode: 404, param: "id" }));
  await assert.rejects(stripe.subscriptions.list({ starting_after: "sub_none" }), invalid({ ...missing, param: "starting_after" }));
  await assert.rejects(stripe.subscriptions.list({ limit: 101 }), invalid({ param: "limit" }));
  await assert.rejects(stripe.subscriptions.list({ user: "ada" }), invalid({ code: "parameter_unknown", param: "user" }));
  await assert.rejects(stripe.subscriptions.search({ query: "userId is ada" }), invalid({ param: "query" }));
  await assert.rejects(stripe.subscriptions.search({}), invalid({ code: "parameter_missing", param: "query" }));
  await assert.rejects(stripe.subscriptionItems.list({}), invalid({ code: "parameter_missing", param: "subscription" }));
  await assert.rejects(stripe.subscriptionItems.list({ subscription: "sub_none" }), invalid(missing));
  await assert.rejects(client(version, { key: "wrong" }).subscriptions.list(), { type: "StripeAuthenticationError", statusCode: 401 });
  await assert.rejects(client("soon").subscriptions.list(), invalid({}));
}

async function checkFailures(stripe, version) {
  const failing = (failure) => control("PUT", "failures", [failure]);
  await failing({ status: 429, headers: { "retry-after": "1" } });
  const isThrottled = (error) => error.type === "StripeRateLimitError" && error.headers["retry-after"] === "1";
  await assert.rejects(stripe.subscriptions.list(), isThrottled);
  await failing({ status: 500 });
  await assert.rejects(stripe.subscriptions.list(), { type: "StripeAPIError", rawType: "api_error", statusCode: 500 });
  await failing({ path: "/v1/subscriptions/search", status: 404 });
  assert.equal((await stripe.subscriptions.list()).data.length, 10);
  await assert.rejects(stripe.subscriptions.search({ query: "status:'active'" }), { type: "StripeInvalidRequestError", statusCode: 404 });
  await failing({ deed: "drop", times: 2 }); // the package always repeats a request once if its connection is closed
  await assert.rejects(stripe.subscriptions.list(), { type: "StripeConnectionError" });
  await failing({ status: 503, times: 2 });
  const patient = client(version, { config: { maxNetworkRetries: 2 } });
  assert.equal((await patient.subscriptions.list()).data.length, 10);
}

const versions = { "2024-06-20": false, "2025-03-31.basil": true };
let requests = 0;
for (const [version, periodsInItems] of Object.entries(versions)) {
  await control("PUT", "subscriptions", subscriptions);
  await control("PUT", "invoice_payments", payments);
  await control("DELETE", "seen");
  const stripe = client(version);
  await checkLists(stripe);
  await checkSearch(stripe);
  await checkShapes(stripe, periodsInItems);
  await checkInvoicePayments(stripe, periodsInItems);
  await checkErrors(stripe, version);
  await checkFailures(stripe, version);
  const seen = await control("GET", "seen");
  assert.ok(seen.every((request) => request.version === version || request.version === "soon"));
  assert.ok(seen.every(({ authorization }) => authorization.startsWith("Bearer ")));
  requests += seen.length;
}
console.log(JSON.stringify({ versions: Object.keys(versions), requests }));
