import assert from "node:assert/strict";
import { test } from "node:test";
import { readClaims, standingOf } from "../src/session/claims.ts";
import { parseConfig } from "../src/session/config.ts";
import { environmentOf, otherEnvironmentUrl, slugOf, tenantLabel } from "../src/session/environment.ts";
import { matchPath } from "../src/router/match.ts";

const jwt = (claims: object): string => ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "x"].join(".");

test("claims are read from a token, also with other alphabets", () => {
  const claims = readClaims(jwt({ sub: "u", email: "zoë@例.example", role: "owner", acr: "aal2", exp: 5 }));
  assert.deepEqual([claims.sub, claims.email, claims.role, claims.acr, claims.exp], ["u", "zoë@例.example", "owner", "aal2", 5]);
  assert.throws(() => readClaims("opaque"));
});

test("only staff with a second factor may use the console", () => {
  const standing = (claims: object): string => standingOf(readClaims(jwt(claims)));
  assert.equal(standing({ role: "user", acr: "aal2" }), "not-staff");
  assert.equal(standing({ acr: "aal2" }), "not-staff");
  assert.equal(standing({ role: "admin", acr: "aal1" }), "second-factor-needed");
  assert.equal(standing({ role: "owner" }), "second-factor-needed");
  assert.equal(standing({ role: "admin", acr: "aal2" }), "staff");
});

test("the host names tenant and environment", () => {
  const label = tenantLabel("acme-sandbox.auth.example.com");
  assert.deepEqual([label, slugOf(label), environmentOf(label)], ["acme-sandbox", "acme", "sandbox"]);
  assert.deepEqual([slugOf("acme"), environmentOf("acme")], ["acme", "production"]);
});

test("the switch of the environment keeps the area and the port, and drops identifiers and filters", () => {
  assert.equal(otherEnvironmentUrl("https://acme.auth.example.com/console/feedback/019c?q=a#b"), "https://acme-sandbox.auth.example.com/console/feedback");
  assert.equal(otherEnvironmentUrl("http://acme-sandbox.auth.localhost:8102/console"), "http://acme.auth.localhost:8102/console");
});

test("paths match with parameters", () => {
  assert.deepEqual(matchPath("/console/users/:id", "/console/users/a%2Fb"), { id: "a/b" });
  assert.deepEqual(matchPath("/console/users/*", "/console/users"), {});
  assert.deepEqual(matchPath("/console/users/*", "/console/users/1/sessions"), {});
  assert.equal(matchPath("/console/users/:id", "/console/users"), null);
  assert.equal(matchPath("/console/users/:id", "/console/users/%E0%A4%A"), null);
});

test("a service without a URL has an empty one, and unknown members are ignored", () => {
  const config = parseConfig({ feedbackUrl: "https://acme.feedback.example.com", notifyUrl: null, displayName: "Acme", more: 1 });
  assert.deepEqual(config, { feedbackUrl: "https://acme.feedback.example.com", notifyUrl: "", billingUrl: "", displayName: "Acme" });
  assert.equal(parseConfig(null).displayName, "");
});
