import assert from "node:assert/strict";
import { test } from "node:test";
import * as sdk from "@tetrad/client";
import { json, problem, serve } from "./server.mjs";

const { Billing, Feedback, Notify } = sdk;
const key = { apiKey: "fbk_1" };

test("the tenant replaces {tenant} in baseUrl", async () => {
  const urls = [];
  const fetch = async (request) => {
    urls.push(request.url);
    return Response.json({});
  };
  await new Feedback({ baseUrl: "https://{tenant}.feedback.example.com/", tenant: "acme-sandbox", fetch }).getSettings();
  assert.deepEqual(urls, ["https://acme-sandbox.feedback.example.com/v1/settings"]);
});

test("unusable options are refused", () => {
  assert.throws(() => new Feedback({ baseUrl: "https://{tenant}.example.com" }), /Option tenant is missing/);
  assert.throws(() => new Feedback({ baseUrl: "https://example.com", tenant: "acme" }), /must contain {tenant}/);
  assert.throws(() => new Feedback({ baseUrl: "example.com" }), /must begin with https:/);
});

test("a call sends its path parameters, query, body, ETag and headers", async () => {
  const server = await serve([json(200, {})]);
  const billing = new Billing({ ...server, ...key });
  await billing.getUserEntitlements("a/b c", { at: "2026-01-31T09:00:00Z" });
  assert.equal(server.requests[0].url, "/v1/users/a%2Fb%20c/entitlements?at=2026-01-31T09%3A00%3A00Z");
  assert.equal(server.requests[0].headers["content-type"], undefined);
  await billing.updateProduct("p1", { displayName: "Pro" }, { ifMatch: '"1"', headers: { "X-Tenant-Slug": "acme" } });
  const { method, headers, body } = server.requests[1];
  assert.deepEqual(
    [method, headers["content-type"], headers["if-match"], headers["x-tenant-slug"], body],
    ["PATCH", "application/json", '"1"', "acme", '{"displayName":"Pro"}'],
  );
});

test("a call is a promise with withResponse, and sends one request", async () => {
  const server = await serve([json(200, { name: "x" }, { etag: '"7"' })]);
  const call = new Feedback({ ...server, ...key }).getSettings();
  const { data, response } = await call.withResponse();
  assert.deepEqual([data, await call, response.headers.get("etag")], [{ name: "x" }, { name: "x" }, '"7"']);
  assert.equal(await call.then(({ name }) => name), "x");
  await call.finally(() => undefined);
  assert.equal(server.requests.length, 1);
  assert.equal(String(call), "[object Call]");
});

test("a response without a body gives undefined, and a page that is not JSON an error", async () => {
  const server = await serve([{ status: 204 }, { status: 200, headers: { "content-type": "text/html" }, body: "<p>Login" }]);
  const feedback = new Feedback({ ...server, ...key });
  assert.equal(await feedback.getSettings(), undefined);
  await assert.rejects(feedback.getSettings(), { name: "TetradError", message: "The response is not JSON. Check baseUrl." });
});

test("a logo is sent as bytes with its type", async () => {
  const server = await serve([json(200, {})]);
  const feedback = new Feedback({ ...server, ...key });
  await feedback.putLogo(new Blob(["png"], { type: "image/png" }));
  await feedback.putLogo(new TextEncoder().encode("webp"), { contentType: "image/webp" });
  assert.deepEqual(
    server.requests.map(({ headers, body }) => [headers["content-type"], headers["content-length"], body]),
    [
      ["image/png", "3", "png"],
      ["image/webp", "4", "webp"],
    ],
  );
});

test("a problem becomes the error of its status", async () => {
  const expected = {
    400: "ApiError",
    401: "AuthenticationError",
    403: "PermissionError",
    404: "NotFoundError",
    409: "ConflictError",
    412: "PreconditionError",
    429: "RateLimitError",
    500: "UnavailableError",
  };
  for (const [status, name] of Object.entries(expected)) {
    const server = await serve([problem(Number(status), "SOME_CODE")]);
    const error = await new Feedback({ ...server, ...key, retries: 0 }).getSettings().catch((reason) => reason);
    assert.ok(error instanceof sdk[name] && error instanceof sdk.ApiError && error instanceof sdk.TetradError);
    assert.deepEqual(
      [error.name, error.status, error.code, error.requestId, error.title, error.detail, error.message],
      [name, Number(status), "SOME_CODE", "r1", "Refused", "No.", `${status} SOME_CODE: No.`],
    );
  }
});

test("a validation error lists the fields, and is() compares the code", async () => {
  const errors = [{ pointer: "/title", code: "required", detail: "is required" }];
  const server = await serve([problem(400, "VALIDATION_ERROR", {}, { errors })]);
  const error = await new Feedback({ ...server, ...key }).createFeedback({}).catch((reason) => reason);
  assert.ok(error instanceof sdk.ValidationError && error.is("VALIDATION_ERROR") && !error.is("NOT_FOUND"));
  assert.deepEqual(error.errors, errors);
});

test("an error keeps further members in its body", async () => {
  const server = await serve([problem(403, "mfa_required", {}, { mfa_token: "t", available_methods: ["sms"] })]);
  const error = await new sdk.Auth(server).login({ email: "a@example.com", password: "x" }).catch((reason) => reason);
  assert.ok(error instanceof sdk.PermissionError && error.is("mfa_required"));
  assert.equal(error.body.mfa_token, "t");
});

test("an error of a proxy has a code with its status", async () => {
  const server = await serve([{ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway</h1>" }]);
  const error = await new Notify({ ...server, ...key, retries: 0 }).getSettings().catch((reason) => reason);
  assert.deepEqual([error.name, error.code, error.body], ["UnavailableError", "HTTP_502", {}]);
});
