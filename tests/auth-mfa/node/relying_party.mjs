// A relying party with openid-client, and users of the hosted pages. argv[2] names a JSON file: {origin, masterKey, folder, user,
// strongUser}. `origin` is the issuer. The users are {email, password, userId, recoveryCodes}; `strongUser` has a second factor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { Issuer, custom, generators } from "openid-client";
import { PlainBrowser, lookup, request } from "./plain_browser.mjs";

export const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
export const redirectUri = "https://app.example.com/callback";
export const signedOutUri = "https://app.example.com/signed-out";
export const allScopes = "openid email profile offline_access";

custom.setHttpOptionsDefaults({ lookup, timeout: 60_000 });
export const issuer = await Issuer.discover(input.origin);

/** Calls the API of the environment with the master key. */
export async function callApi(method, path, json) {
  const headers = { authorization: `Bearer ${input.masterKey}` };
  const answer = await request(input.origin + path, { method, headers, json });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

/** The registration of a new client: {clientId, secret}. */
export const register = (fields) =>
  callApi("POST", "/v1/clients", {
    name: "Test app",
    type: "confidential",
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [signedOutUri],
    ...fields,
  });

/** A new client with this authentication method. `fields` are of the registration, `keys` the private keys of private_key_jwt. */
export async function newClient(method = "client_secret_basic", { keys, ...fields } = {}) {
  const type = method === "none" ? "public" : "confidential";
  const { clientId, secret } = await register({ name: method, type, ...fields });
  assert.equal(Boolean(secret), method.startsWith("client_secret"));
  const metadata = {
    client_id: clientId,
    client_secret: secret,
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [signedOutUri],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: keys?.keys[0].alg,
    id_token_signed_response_alg: fields.idTokenSigningAlg ?? "RS256",
  };
  const client = new issuer.Client(metadata, keys);
  client[custom.clock_tolerance] = 60; // the clock of the service is moved once a second
  return client;
}

/** Answers the pages of a sign-in until the browser leaves for a URL that begins with `until`. Returns this URL. */
export async function passPages(browser, page, user, until) {
  for (let steps = 0; page.body !== undefined; ++steps) {
    assert.ok(steps < 8 && page.status === 200, `${page.url}: ${page.status} ${page.body}`);
    const { email, password } = user;
    const second = PlainBrowser.fieldsOf(page, "code", "method");
    if (PlainBrowser.fieldsOf(page, "email", "password")) page = await browser.submit(page, { email, password }, { until });
    else if (!second) page = await browser.submit(page, { password }, { until }); // to confirm
    else if (second.method !== "recovery_code") page = await browser.follow(page, "method=recovery_code", { until });
    else page = await browser.submit(page, { code: user.recoveryCodes.pop() }, { until });
  }
  return page.url;
}

/** One authorization: its checks, and the parameters with which the browser came back. `changes` are parameters of the request. */
export async function authorize(client, browser, user, changes = {}) {
  const verifier = generators.codeVerifier();
  const checks = {
    response_type: "code",
    code_verifier: verifier,
    state: generators.state(),
    nonce: generators.nonce(),
    max_age: changes.max_age,
  };
  const parameters = {
    redirect_uri: redirectUri,
    scope: allScopes,
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: generators.codeChallenge(verifier),
    code_challenge_method: "S256",
    ...changes,
  };
  const page = await browser.open(client.authorizationUrl(parameters), { until: redirectUri });
  return { checks, params: client.callbackParams(await passPages(browser, page, user, redirectUri)) };
}

/** Signs in and exchanges the code. openid-client checks the response and the id token. */
export async function signIn(client, browser, user, changes = {}) {
  const { checks, params } = await authorize(client, browser, user, changes);
  assert.equal(params.iss, issuer.issuer);
  return client.callback(redirectUri, params, checks);
}

/** Opens the URL of a logout, and confirms it if a page asks. Returns the URL to which the browser leaves. */
export async function signOut(client, browser, parameters) {
  const until = parameters.post_logout_redirect_uri ?? signedOutUri;
  const page = await browser.open(client.endSessionUrl(parameters), { until });
  return page.body === undefined ? page.url : (await browser.submit(page, {}, { until })).url;
}

/** A promise's rejection with this error of OAuth. */
export const refused = (promise, error) => assert.rejects(promise, { name: "OPError", error });

/** A server that keeps the forms that it gets, and answers 200: {forms, port}. */
export async function formReceiver() {
  const forms = [];
  const server = http.createServer(async (got, response) => {
    let body = "";
    for await (const chunk of got) body += chunk;
    forms.push({ type: got.headers["content-type"], path: got.url, fields: Object.fromEntries(new URLSearchParams(body)) });
    response.writeHead(200, { "cache-control": "no-store" }).end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  server.unref();
  return { forms, port: server.address().port };
}
