// A single-page app with oidc-client-ts, in Chromium. argv[2] names a JSON file: {origin, service, masterKey, app, user, sameSite}.
// `origin` is the issuer, `service` the address of the service, and `app` the app's origin, which is of the issuer's site if
// `sameSite`. With `key`, `certificate` and `port`, a server for TLS stands in for the proxy of an installation: it leads to the
// service and to the app.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { browser, input } from "./browser.mjs";
import { request } from "./plain_browser.mjs";

const { origin, app, user } = input;
const authHost = new URL(origin).host;
const stranger = app.replace(/\/\/[^:/]+/, input.sameSite ? "//stranger.example" : "//stranger.localhost");
const library = new URL("node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js", import.meta.url);

async function callApi(method, path, json) {
  const headers = { host: authHost, authorization: `Bearer ${input.masterKey}` };
  const answer = await request(input.service + path, { method, headers, json });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

// --- the app and its servers -----------------------------------------------------------------------------------------------------

const { clientId } = await callApi("POST", "/v1/clients", {
  name: "Single-page app",
  type: "public",
  redirectUris: [`${app}/callback`, `${app}/silent`],
  postLogoutRedirectUris: [`${app}/signed-out`],
});

const settings = {
  authority: origin,
  client_id: clientId,
  redirect_uri: `${app}/callback`,
  silent_redirect_uri: `${app}/silent`,
  post_logout_redirect_uri: `${app}/signed-out`,
  scope: "openid email",
  loadUserInfo: true,
  automaticSilentRenew: false,
};
const script = `
const manager = new oidc.UserManager(${JSON.stringify(settings)});
const callbacks = {
  "/callback": () => manager.signinRedirectCallback(),
  "/silent": () => manager.signinSilentCallback(),
  "/signed-out": () => manager.signoutRedirectCallback(),
};
const ready = (callbacks[location.pathname] ?? (() => manager.getUser()))().then(
  () => null,
  (failure) => failure.error ?? String(failure),
);
`;
const page = '<!doctype html><title>App</title><script src="/library.js"></script><script src="/app.js"></script>';
const files = { "/library.js": readFileSync(library), "/app.js": script };

function serveApp(got, response) {
  const { pathname } = new URL(got.url, app);
  response.writeHead(200, { "Content-Type": pathname in files ? "text/javascript" : "text/html" });
  response.end(files[pathname] ?? page);
}

/** Forwards requests for the auth host to the service. Every other host has the app. */
function serveAll(got, response) {
  if (got.headers.host !== authHost) return serveApp(got, response);
  const { method, headers } = got;
  const forwarded = http.request(input.service + got.url, { method, headers }, (answered) => {
    response.writeHead(answered.statusCode, answered.headers);
    answered.pipe(response);
  });
  got.pipe(forwarded);
}

const server = input.key
  ? https.createServer({ key: readFileSync(input.key), cert: readFileSync(input.certificate) }, serveAll)
  : http.createServer(serveApp);
await new Promise((listening) => server.listen(input.port ?? Number(new URL(app).port), "127.0.0.1", listening));

/** Allows the app's origin, and waits until the service does. */
async function allowOrigin() {
  await callApi("PATCH", "/v1/settings", { allowedOrigins: [app] });
  for (let tries = 0; tries < 600; ++tries) {
    const headers = { host: authHost, origin: app };
    const answer = await request(`${input.service}/pages.css`, { headers });
    if (answer.headers["access-control-allow-origin"] === app) return;
    await sleep(50);
  }
  throw new Error("the origin of the app is not allowed");
}
await allowOrigin();

// --- the user --------------------------------------------------------------------------------------------------------------------

const context = await browser.newContext({ ignoreHTTPSErrors: true });
context.setDefaultTimeout(60_000);
const tab = await context.newPage();
const seen = [];
tab.on("framenavigated", (frame) => frame === tab.mainFrame() && seen.push(new URL(frame.url()).pathname));

const arriveAt = (address) => tab.waitForURL(({ href }) => href.startsWith(address));

/** Calls a method of the app's UserManager that leaves the page, and waits until the app is back at this path. */
async function leave(method, options, path) {
  await tab.goto(`${app}/`);
  seen.length = 0;
  await tab.evaluate(([name, parameters]) => void manager[name](parameters), [method, options]);
  await arriveAt(app + path);
}
const failureOf = () => tab.evaluate("ready");
const signedIn = () => tab.evaluate("manager.getUser()");
/** The user after a silent renewal, or the error: {user} or {error}. */
const renew = () =>
  tab.evaluate(() => manager.signinSilent().then((user) => ({ user }), (failure) => ({ error: failure.error ?? String(failure) })));

async function enterPassword(options = {}) {
  await tab.evaluate((parameters) => void manager.signinRedirect(parameters), options);
  await arriveAt(`${origin}/login?`);
  await tab.locator('[name="email"]').fill(user.email);
  await tab.locator('[name="password"]').fill(user.password);
  await tab.locator('form[action="/login"] button[type="submit"]').click();
  await arriveAt(`${app}/callback?`);
  assert.equal(await failureOf(), null);
}

/** The status of userinfo for a page of this origin, or the error of fetch(). */
async function statusFor(pageOrigin, token) {
  const other = await context.newPage();
  await other.goto(`${pageOrigin}/`);
  const status = await other.evaluate(
    ([url, authorization]) => fetch(url, { headers: { authorization } }).then((response) => response.status, String),
    [`${origin}/oauth/userinfo`, `Bearer ${token}`],
  );
  await other.close();
  return status;
}

// --- the story -------------------------------------------------------------------------------------------------------------------

await tab.goto(`${app}/`);
assert.equal(await signedIn(), null);
assert.equal((await renew()).error, "login_required");
await enterPassword({ login_hint: user.email });
const first = await signedIn();
assert.deepEqual([first.profile.sub, first.profile.email], [user.userId, user.email]);
assert.deepEqual([first.scope, first.refresh_token], ["openid email", undefined]);
assert.equal(await statusFor(app, first.access_token), 200);
assert.match(String(await statusFor(stranger, first.access_token)), /TypeError/); // refused by CORS

// A hidden frame has the session's cookie only if the app is of the issuer's site.
const renewed = await renew();
if (input.sameSite) {
  assert.equal(renewed.error, undefined);
  assert.notEqual(renewed.user.access_token, first.access_token);
  assert.equal(renewed.user.profile.sub, user.userId);
} else {
  assert.equal(renewed.error, "login_required");
}

// Everywhere, the whole page can renew without a page of the service.
await leave("signinRedirect", { prompt: "none" }, "/callback");
assert.equal(await failureOf(), null);
const again = await signedIn();
assert.notEqual(again.access_token, first.access_token);
assert.deepEqual(seen.filter((path) => path.startsWith("/login")), []);

// With a refresh token, the app renews without a frame.
await leave("signinRedirect", { scope: "openid email offline_access" }, "/callback");
assert.equal(await failureOf(), null);
const offline = await signedIn();
assert.ok(offline.refresh_token);
const refreshed = await renew();
assert.equal(refreshed.error, undefined);
assert.notEqual(refreshed.user.refresh_token, offline.refresh_token);

// After the logout, nobody is signed in at the issuer.
await leave("signoutRedirect", {}, "/signed-out");
assert.equal(await failureOf(), null);
assert.equal(await signedIn(), null);
await leave("signinRedirect", { prompt: "none" }, "/callback");
assert.equal(await failureOf(), "login_required");
await tab.goto(`${app}/`);
await enterPassword();

await browser.close();
server.close();
console.log("done");
