// One sign-in in two tabs.
import assert from "node:assert/strict";
import { counted, hold, until } from "./site.mjs";

const refreshes = "**/v1/auth/refresh";

/** Two tabs of one browser, in which a user is signed in. */
async function tabs(site) {
  const { credentials } = await site.newUser();
  const first = await site.open("/session.html");
  const context = first.context();
  const second = await context.newPage();
  await second.goto(`${site.origin}/session.html`);
  for (const page of [first, second]) await page.evaluate(`tab.open(${JSON.stringify(site.urls["auth-mfa"])})`);
  await first.evaluate(`tab.signIn(${JSON.stringify(credentials)})`);
  await until(second, `tab.user() === ${JSON.stringify(credentials.email)}`);
  return { first, second, context, email: credentials.email, sent: counted(context, "POST", "/v1/auth/refresh") };
}
const both = ({ first, second }, code) => Promise.all([first, second].map((page) => page.evaluate(code)));

/** Both tabs call the service at the same time. The refresh takes so long that both need it before it ends. */
async function callBoth(used) {
  const release = await hold(used.context, refreshes);
  const calls = both(used, "tab.call()");
  await until(used.first, "navigator.locks.query().then(({ held, pending }) => held.length + pending.length === 2)");
  release();
  const results = await calls;
  await used.context.unroute(refreshes);
  return results;
}

export async function shareRefresh(site) {
  const used = await tabs(site);
  assert.deepEqual(await both(used, "tab.call()"), [used.email, used.email]);
  assert.equal(used.sent.length, 0);

  // The token expires.
  const before = await used.first.evaluate("tab.stored()");
  await used.first.evaluate("tab.store({ expiresAt: Date.now() + 29_000 })");
  assert.deepEqual(await callBoth(used), [used.email, used.email]);
  assert.equal(used.sent.length, 1);
  const after = await used.first.evaluate("tab.stored()");
  assert.notEqual(after.accessToken, before.accessToken);
  assert.notEqual(after.refreshToken, before.refreshToken);

  // The service rejects the token before it expires.
  await used.first.evaluate("tab.store({ accessToken: tab.stored().accessToken + 'x' })");
  assert.deepEqual(await callBoth(used), [used.email, used.email]);
  assert.equal(used.sent.length, 2);
  assert.deepEqual(await both(used, "tab.call()"), [used.email, used.email]);
  assert.equal(used.sent.length, 2);
  // The user stayed the same, so the listeners were told of the sign-in only.
  assert.deepEqual(await both(used, "tab.seen()"), [[used.email], [used.email]]);
  await used.context.close();
}

export async function refuseRefresh(site) {
  const used = await tabs(site);
  // The user ends all sessions elsewhere.
  const { refreshToken } = await used.first.evaluate("tab.stored()");
  await site.client("auth-mfa", null).logout({ refreshToken });
  await used.first.evaluate("tab.store({ expiresAt: 0 })");
  assert.deepEqual(await callBoth(used), ["401", "401"]);
  assert.equal(used.sent.length, 1);
  await until(used.second, "tab.seen().length === 2");
  assert.deepEqual(await both(used, "tab.user()"), [null, null]);
  assert.deepEqual(await both(used, "tab.seen()"), [
    [used.email, null],
    [used.email, null],
  ]);
  assert.equal(await used.first.evaluate("tab.stored()"), null);
  await used.context.close();
}

export async function loseNetwork(site) {
  const used = await tabs(site);
  await used.context.route(refreshes, (route) => route.abort("internetdisconnected"));
  await used.first.evaluate("tab.store({ expiresAt: 0 })");
  assert.deepEqual(await both(used, "tab.call()"), ["offline", "offline"]);
  assert.deepEqual(await both(used, "tab.user()"), [used.email, used.email]);

  // A token that has not expired is used until its end.
  await used.first.evaluate("tab.store({ expiresAt: Date.now() + 29_000 })");
  assert.equal(await used.first.evaluate("tab.call()"), used.email);

  await used.context.unroute(refreshes);
  await used.first.evaluate("tab.store({ expiresAt: 0 })");
  assert.deepEqual(await both(used, "tab.call()"), [used.email, used.email]);
  assert.deepEqual(await both(used, "tab.seen()"), [[used.email], [used.email]]);
  await used.context.close();
}

/** The response to a refresh is lost. The session repeats it while the token can be used again. */
export async function loseResponse(site) {
  const used = await tabs(site);
  let lost = 0;
  await used.context.route(refreshes, async (route) => {
    if (lost++ > 0) return route.continue();
    const request = route.request();
    await site.services.send("auth-mfa", "POST", request.url(), { "Content-Type": "application/json" }, request.postData());
    return route.abort("connectionreset");
  });
  await used.first.evaluate("tab.store({ expiresAt: 0 })");
  assert.deepEqual(await both(used, "tab.call()"), [used.email, used.email]);
  assert.equal(lost, 2);
  await used.context.close();
}

export async function signOut(site) {
  const used = await tabs(site);
  const { refreshToken } = await used.first.evaluate("tab.stored()");
  await used.second.evaluate("tab.end()");
  await until(used.first, "tab.user() === null && tab.seen().length === 2");
  assert.deepEqual(await both(used, "tab.call()"), ["401", "401"]);
  assert.equal(used.sent.length, 0);
  const refused = await site
    .client("auth-mfa", null)
    .refresh({ refreshToken })
    .catch((error) => error);
  assert.equal(refused.code, "UNAUTHORIZED");

  // Without a network the user is signed out all the same.
  const again = await tabs(site);
  await again.context.route("**/v1/auth/logout", (route) => route.abort("internetdisconnected"));
  await again.first.evaluate("tab.end()");
  await until(again.second, "tab.user() === null");
  await Promise.all([used.context.close(), again.context.close()]);
}
