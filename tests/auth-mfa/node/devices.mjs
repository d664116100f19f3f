// Tests in Chromium that pages of a tenant's own sites can trust the browser, with third-party cookies blocked. A server for TLS
// stands in for the proxy of an installation; all hosts lead to it. argv[2] names a JSON file: {service, authHost, email, password,
// recoveryCodes, key, certificate, port, arguments}.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { browser, input } from "./browser.mjs";

/** Forwards requests for the auth host to the service. Every other host has empty pages. */
function answer(request, response) {
  if (request.headers.host !== input.authHost) {
    response.writeHead(200, { "Content-Type": "text/html" });
    return response.end("<!doctype html><title>Shop</title>");
  }
  const { method, headers } = request;
  const forwarded = http.request(input.service + request.url, { method, headers }, (answered) => {
    response.writeHead(answered.statusCode, answered.headers);
    answered.pipe(response);
  });
  request.pipe(forwarded);
}
const tls = { key: readFileSync(input.key), cert: readFileSync(input.certificate) };
const server = https.createServer(tls, answer);
await new Promise((listening) => server.listen(input.port, "127.0.0.1", listening));

const context = await browser.newContext({ ignoreHTTPSErrors: true });
context.setDefaultTimeout(90_000);

async function open(origin) {
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  return page;
}

/** The response to a request that the page sends to the service with its cookies: {status, body}. */
const call = (page, path, body) =>
  page.evaluate(
    async ([url, text]) => {
      const response = await fetch(url, {
        method: "POST",
        credentials: "include",
        headers: { "Content-Type": "application/json" },
        body: text,
      });
      return { status: response.status, body: await response.json() };
    },
    [`https://${input.authHost}${path}`, JSON.stringify(body)],
  );

const signIn = (page) => call(page, "/v1/auth/login", { email: input.email, password: input.password });

async function trust(page) {
  const challenged = await signIn(page);
  assert.deepEqual([challenged.status, challenged.body.error], [403, "mfa_required"]);
  const verified = await call(page, "/v1/auth/mfa/verify", {
    mfa_token: challenged.body.mfa_token,
    method: "recovery_code",
    code: input.recoveryCodes.pop(),
    trustDevice: true,
  });
  assert.equal(verified.status, 200);
}

// A page of the customer's own domain.
const shop = await open("https://shop.example");
await trust(shop);
assert.equal((await signIn(shop)).status, 200);
const cookies = (await context.cookies(`https://${input.authHost}`)).filter(({ name }) => name === "mfa_device");
assert.equal(cookies.length, 1);
const { sameSite, secure, httpOnly } = cookies[0];
assert.deepEqual({ sameSite, secure, httpOnly }, { sameSite: "None", secure: true, httpOnly: true });

// The cookie belongs to this site: pages of other sites have to ask for the second factor.
const other = await open("https://other.example");
assert.equal((await signIn(other)).status, 403);
const own = await open("https://app.example.com");
assert.equal((await signIn(own)).status, 403);

// Each site can trust the browser on its own, and a page of the service's own site too.
for (const page of [other, own]) {
  await trust(page);
  assert.equal((await signIn(page)).status, 200);
}
assert.equal((await signIn(shop)).status, 200);

// A page whose origin is not allowed cannot read a response.
const evil = await open("https://evil.example");
await assert.rejects(signIn(evil), /Failed to fetch/);

await browser.close();
server.close();
server.closeAllConnections();
console.log("done");
