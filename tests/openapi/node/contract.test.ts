// Tests that Contract finds every deviation from a contract.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Contract, type Exchange } from "./contract.js";

const contract = (name: string): Contract => new Contract(path.join(process.env["SOURCE"]!, "proto", `${name}.openapi.yaml`));

const tenant = {
  slug: "demo",
  displayName: "Demo",
  status: "active",
  limits: { requestsPerMinute: 600 },
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
  eraseAfter: null,
};

/** A valid request and response: the operator changes a tenant. */
const good = {
  method: "PUT",
  path: "/v1/admin/tenants/demo",
  requestHeaders: { authorization: "Bearer key", "content-type": "application/json" } as Record<string, string>,
  request: JSON.stringify({ displayName: "Demo" }),
  status: 200,
  headers: { "x-request-id": "1", "content-type": "application/json" } as Record<string, string>,
  answer: JSON.stringify(tenant),
};

const exchange = ({ method, path: at, requestHeaders, request, status, headers, answer }: typeof good): Exchange => ({
  method,
  url: new URL(at, "http://demo.feedback.localhost"),
  requestHeaders: new Headers(requestHeaders),
  requestBody: Buffer.from(request),
  status,
  headers: new Headers(headers),
  body: Buffer.from(answer),
});

const problem = { type: "about:blank", title: "Conflict", status: 409, detail: "No.", error: "CONFLICT", requestId: "1" };
const refusal = { status: 409, headers: { ...good.headers, "content-type": "application/problem+json" }, answer: JSON.stringify(problem) };
const without = (headers: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

test("a valid request and response have no faults, and their operation counts as used", () => {
  const feedback = contract("feedback");
  assert.deepEqual(feedback.faultsOf(exchange(good)), []);
  assert.ok(!feedback.unused().includes("PUT /v1/admin/tenants/{slug}"));
  assert.ok(feedback.unused().includes("GET /v1/admin/tenants/{slug}"));
  assert.deepEqual(feedback.faultsOf(exchange({ ...good, path: "/v1/admin/tenants/NOT-A-SLUG", request: "{}", ...refusal })), []);
});

const faulty: Record<string, [Partial<typeof good>, RegExp]> = {
  "an unknown path": [{ path: "/v1/tenants" }, /is not in the contract/],
  "an unknown method": [{ method: "POST" }, /is not in the contract/],
  "an undocumented success status": [{ status: 202 }, /status is not in the contract/],
  "a response without a required header": [{ headers: { "content-type": "application/json" } }, /lacks X-Request-Id/],
  "a header that does not match its schema": [{ headers: { ...good.headers, "x-request-id": "a b" } }, /X-Request-Id/],
  "a response of another media type": [{ headers: { ...good.headers, "content-type": "text/plain" } }, /is text\/plain/],
  "a response without a required member": [{ answer: JSON.stringify({ ...tenant, slug: undefined }) }, /required property 'slug'/],
  "a response with an undocumented member": [{ answer: JSON.stringify({ ...tenant, secret: "x" }) }, /unevaluated.*secret/],
  "a member that does not match its schema": [{ answer: JSON.stringify({ ...tenant, createdAt: "2026-01-31T09:00:00Z" }) }, /createdAt/],
  "an error without a required member": [
    { ...refusal, answer: JSON.stringify({ ...problem, error: undefined }) },
    /required property 'error'/,
  ],
  "an error with an undocumented member": [{ ...refusal, answer: JSON.stringify({ ...problem, stack: "x" }) }, /unevaluated.*stack/],
  "a request that succeeded without a credential": [
    { requestHeaders: without(good.requestHeaders, "authorization") },
    /without a credential/,
  ],
  "an accepted body that does not match its schema": [{ request: JSON.stringify({ displayName: "" }) }, /displayName.*fewer than 1/],
  "a body of another media type": [{ requestHeaders: { ...good.requestHeaders, "content-type": "text/plain" } }, /request is text\/plain/],
  "a missing body": [{ request: "" }, /lacks its body/],
  "a parameter that does not match its schema": [{ path: "/v1/admin/tenants/NOT-A-SLUG" }, /request's slug/],
  "an undocumented parameter": [{ path: "/v1/admin/tenants/demo?purge=now" }, /\?purge is not in the contract/],
};
for (const [name, [change, expected]] of Object.entries(faulty))
  test(`this fault is found: ${name}`, () => {
    const feedback = contract("feedback");
    const faults = feedback.faultsOf(exchange({ ...good, ...change }));
    assert.ok(
      faults.some((fault) => expected.test(fault)),
      faults.join("\n"),
    );
    assert.ok(feedback.unused().includes("PUT /v1/admin/tenants/{slug}"));
  });

/** A valid request and response: a browser posts the response of an identity provider, and is redirected. */
const redirect = {
  ...good,
  method: "POST",
  path: "/oauth/external/callback",
  requestHeaders: { "content-type": "application/x-www-form-urlencoded" },
  request: "state=x&code=y",
  status: 303,
  headers: { "x-request-id": "1", location: "/oauth/external/callback?state=x&code=y" },
  answer: "",
};

test("a redirect counts as a success, and its request is checked", () => {
  const name = "POST /oauth/external/callback";
  const changes: [Partial<typeof good>, RegExp | undefined][] = [
    [{}, undefined],
    [{ headers: { "x-request-id": "1" } }, /lacks Location/],
    [{ status: 302 }, /status is not in the contract/],
    [{ request: `state=${"x".repeat(4097)}` }, /request\/state must NOT have more than 4096/],
    [{ requestHeaders: { "content-type": "application/json" } }, /request is application\/json/],
    [{ path: "/oauth/external/callback?next=x" }, /\?next is not in the contract/],
  ];
  for (const [change, expected] of changes) {
    const authMfa = contract("auth-mfa");
    const faults = authMfa.faultsOf(exchange({ ...redirect, ...change }));
    assert.ok(expected === undefined ? faults.length === 0 : faults.some((fault) => expected.test(fault)), faults.join("\n"));
    assert.equal(authMfa.unused().includes(name), expected !== undefined);
  }
});

test("every schema of every contract compiles", () => {
  for (const name of ["feedback", "auth-mfa", "notify", "billing"]) assert.deepEqual(contract(name).unchecked(), []);
});
