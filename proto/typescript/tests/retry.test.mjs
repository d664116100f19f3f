import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, Feedback, RateLimitError, UnavailableError } from "@tetrad/client";
import { broken, json, problem, serve, silence } from "./server.mjs";

const thread = { feedbackId: "f1" };
const body = { category: "bug", title: "t", body: "b" };
const at = (server, options = {}) => new Feedback({ baseUrl: server.baseUrl, apiKey: "fbk_1", ...options });
const busy = problem(503, "UNAVAILABLE", { "retry-after": "0" });

test("a 503 and a 429 are repeated after Retry-After in seconds", async () => {
  const server = await serve([problem(503, "UNAVAILABLE", { "retry-after": "1" }), problem(429, "RATE_LIMITED", { "retry-after": "0" }), json(200, thread)]);
  const events = [];
  const began = Date.now();
  assert.deepEqual(await at(server, { onRetry: (event) => events.push(event) }).getFeedback("f1"), thread);
  assert.ok(Date.now() - began >= 990);
  assert.deepEqual(
    events.map(({ method, attempt, delayMs, status }) => ({ method, attempt, delayMs, status })),
    [
      { method: "GET", attempt: 1, delayMs: 1000, status: 503 },
      { method: "GET", attempt: 2, delayMs: 0, status: 429 },
    ],
  );
});

test("Retry-After may be an HTTP date", async () => {
  const date = new Date(Date.now() + 2_000).toUTCString();
  const server = await serve([problem(503, "UNAVAILABLE", { "retry-after": date }), json(200, thread)]);
  const waits = [];
  await at(server, { onRetry: ({ delayMs }) => waits.push(delayMs) }).getFeedback("f1");
  assert.ok(waits[0] >= 0 && waits[0] <= 2_000, String(waits));
  assert.equal(server.requests.length, 2);
});

test("the client does not wait longer than 60 s", async () => {
  const server = await serve([problem(429, "RATE_LIMITED", { "retry-after": "61" })]);
  const error = await at(server).getFeedback("f1").catch((reason) => reason);
  assert.ok(error instanceof RateLimitError);
  assert.equal(error.retryAfterSeconds, 61);
  assert.equal(server.requests.length, 1);
});

test("without Retry-After, the wait is random, and doubles at most", async () => {
  const server = await serve([problem(502, "X"), problem(504, "X"), json(200, thread)]);
  const waits = [];
  await at(server, { onRetry: ({ delayMs }) => waits.push(delayMs) }).getFeedback("f1");
  assert.ok(waits[0] <= 500 && waits[1] <= 1_000 && waits[0] !== waits[1], String(waits));
});

test("after the last attempt, the error is thrown", async () => {
  const server = await serve([busy]);
  await assert.rejects(at(server, { retries: 2 }).getFeedback("f1"), UnavailableError);
  assert.equal(server.requests.length, 3);
});

test("a 500 and a 404 are not repeated", async () => {
  for (const status of [500, 404]) {
    const server = await serve([problem(status, "X")]);
    await assert.rejects(at(server).getFeedback("f1"), { status });
    assert.equal(server.requests.length, 1);
  }
});

test("a POST with an idempotency key is repeated with the same key", async () => {
  const server = await serve([broken, busy, json(201, thread)]);
  assert.deepEqual(await at(server).createFeedback(body), thread);
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.match(keys[0], /^[\w-]{20,}$/);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(server.requests.map(({ body: sent }) => JSON.parse(sent)), [body, body, body]);
  await at(server).createFeedback(body);
  assert.notEqual(server.requests.at(-1).headers["idempotency-key"], keys[0]);
  await at(server).createFeedback(body, { idempotencyKey: "mine" });
  assert.equal(server.requests.at(-1).headers["idempotency-key"], "mine");
});

test("a POST without an idempotency key is not repeated", async () => {
  const server = await serve([busy]);
  await assert.rejects(at(server).mergeFeedback("f1", { into: "f2" }), UnavailableError);
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0].headers["idempotency-key"], undefined);
});

test("PUT and DELETE are repeated, and PATCH only without ifMatch", async () => {
  const counted = async (call) => {
    const server = await serve([busy, json(200, thread)]);
    await call(at(server)).catch(() => undefined);
    return server.requests.length;
  };
  assert.equal(await counted((feedback) => feedback.vote("f1")), 2);
  assert.equal(await counted((feedback) => feedback.deleteFeedback("f1", { ifMatch: '"1"' })), 2);
  assert.equal(await counted((feedback) => feedback.updateFeedback("f1", { status: "closed" })), 2);
  assert.equal(await counted((feedback) => feedback.updateFeedback("f1", { status: "closed" }, { ifMatch: '"1"' })), 1);
});

test("a signal ends a wait with its reason", async () => {
  const server = await serve([problem(503, "UNAVAILABLE", { "retry-after": "50" })]);
  const controller = new AbortController();
  const reason = new Error("the user left");
  const feedback = at(server, { onRetry: () => controller.abort(reason) });
  await assert.rejects(feedback.getFeedback("f1", { signal: controller.signal }), reason);
  assert.equal(server.requests.length, 1);
});

test("a signal ends a request", async () => {
  const server = await serve(() => silence);
  const controller = new AbortController();
  const call = at(server).getFeedback("f1", { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(call, { name: "AbortError" });
});

test("an attempt ends after timeoutMs, and a further one follows", async () => {
  const server = await serve((_, number) => (number === 1 ? silence : json(200, thread)));
  const errors = [];
  const feedback = at(server, { timeoutMs: 200, onRetry: ({ error }) => errors.push(error) });
  assert.deepEqual(await feedback.getFeedback("f1", { timeoutMs: 100 }), thread);
  assert.ok(errors[0] instanceof ConnectionError && errors[0].timedOut);
  assert.match(errors[0].message, /no response within 100 ms/);
});

test("a timeout also covers the body", async () => {
  const server = await serve(() => (_, response) => response.writeHead(200, { "content-type": "application/json" }).write("{"));
  await assert.rejects(at(server, { timeoutMs: 100, retries: 0 }).getFeedback("f1"), { name: "ConnectionError", timedOut: true });
});

test("a connection that breaks in the body is a network error", async () => {
  const half = (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("{");
    setTimeout(() => response.destroy(), 20);
  };
  const server = await serve([half, json(200, thread)]);
  assert.deepEqual(await at(server).getFeedback("f1"), thread);
});

test("network errors are thrown as ConnectionError with their cause", async () => {
  const server = await serve([]);
  server.close();
  const error = await at(server, { retries: 0 }).getFeedback("f1").catch((reason) => reason);
  assert.ok(error instanceof ConnectionError && !error.timedOut && error.cause instanceof Error);
  assert.ok(!error.message.includes("/v1/"), error.message);
});
