// Attacks on the hosted pages by pages of other origins in the same browser. A server of this test has these pages; it answers for
// every host. argv[2] names a JSON file: {origin, folder, now}.
import assert from "node:assert/strict";
import http from "node:http";
import { gzipSync } from "node:zlib";
import { browser, input } from "./browser.mjs";
import {
  addAuthenticator,
  clickThrough,
  close,
  enterPassword,
  go,
  leaveCodes,
  linkMailedTo,
  newEmail,
  newPassword,
  open,
  password,
  pathOf,
  read,
  register,
  says,
  signOut,
  submit,
  textOf,
  titleOf,
} from "./hosted.mjs";

let evilPage = "";
const server = http.createServer((request, response) => {
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end(`<!doctype html><title>Evil</title>${evilPage}`);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

/** Other sites, and another tenant's host, which is of the same site. */
const evilHosts = ["evil.localhost", "127.0.0.1", "other-sandbox.auth.localhost"];
const evilUrl = (host) => `http://${host}:${server.address().port}/`;

const session = async (context) => (await context.cookies(input.origin)).find(({ name }) => name === "__Host-session");

const victim = newEmail();
const page = await open("/login");
await register(page, victim);
const eve = await open("/login");
const evesEmail = await register(eve);

// --- frames ----------------------------------------------------------------------------------------------------------------------

for (const host of evilHosts)
  for (const path of ["/login", "/account", "/enroll"]) {
    const context = page.context();
    const evil = await context.newPage();
    evilPage = `<iframe src="${input.origin}${path}"></iframe>`;
    const failed = evil.waitForEvent("requestfailed", (request) => request.url().startsWith(input.origin));
    await evil.goto(evilUrl(host));
    assert.match((await failed).failure().errorText, /ERR_BLOCKED/);
    assert.ok(!evil.frames()[1].url().startsWith(input.origin));
    await evil.close();
  }

// --- forms of other origins ------------------------------------------------------------------------------------------------------

/** Another origin's page sends this form at once. Returns what the user sees. */
async function forge(context, host, action, fields) {
  const evil = await context.newPage();
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  evilPage = `<form method="post" action="${input.origin}${action}">${inputs.join("")}<button>Win</button></form>`;
  await evil.goto(evilUrl(host));
  await clickThrough(evil, evil.locator("button"));
  assert.equal(evil.url(), input.origin + action);
  const seen = await textOf(evil);
  await evil.close();
  return seen;
}

const isRefused = (seen) => assert.match(seen, /Something went wrong.*sent by another site/);
await go(eve, "/login");
await go(eve, "/account");
const evesToken = await eve.locator('[name="csrf"]').first().inputValue();
for (const host of evilHosts) {
  // Eve signs the victim's browser in with her own account.
  const fresh = await open("/login");
  for (const csrf of ["", evesToken])
    isRefused(await forge(fresh.context(), host, "/login", { email: evesEmail, password, csrf }));
  assert.equal(await session(fresh.context()), undefined);
  await fresh.context().close();

  // Eve changes the victim's account.
  for (const [action, fields] of [
    ["/logout", {}],
    ["/account/email", { newEmail: evesEmail }],
    ["/account/delete", { email: victim }],
    ["/account/sessions/end", {}],
  ])
    isRefused(await forge(page.context(), host, action, { ...fields, csrf: evesToken }));
}
await go(page, "/account");
await says(page, new RegExp(`Signed in as ${victim}`));

// --- other windows ---------------------------------------------------------------------------------------------------------------

for (const host of evilHosts) {
  const evil = await page.context().newPage();
  evilPage = `<button onclick="w = window.open('${input.origin}/account')">Open</button>`;
  await evil.goto(evilUrl(host));
  const [opened] = await Promise.all([page.context().waitForEvent("page"), evil.click("button")]);
  await opened.waitForURL(`${input.origin}/account`);
  assert.equal(await opened.evaluate("opener"), null);
  assert.equal(await evil.evaluate("w.closed"), true); // the window is out of its reach
  await opened.close();
  await evil.close();
}

// Scripts of other origins cannot read a page.
{
  const evil = await page.context().newPage();
  evilPage = "";
  for (const host of evilHosts) {
    await evil.goto(evilUrl(host));
    const read = (options) =>
      evil.evaluate(([url, more]) => fetch(url, more).then((response) => response.text()), [`${input.origin}/account`, options]);
    await assert.rejects(read({ credentials: "include" }), /Failed to fetch/);
    assert.equal(await read({ credentials: "include", mode: "no-cors" }).catch(() => ""), "");
  }
  await evil.close();
}

// --- secrets in addresses --------------------------------------------------------------------------------------------------------

{
  const reader = await open("/login");
  const devtools = await reader.context().newCDPSession(reader);
  await devtools.send("Network.enable");
  const referers = [];
  devtools.on("Network.requestWillBeSentExtraInfo", ({ headers }) => referers.push(headers.Referer));
  await go(reader, "/reset");
  await submit(reader, "/reset", { email: victim });
  const link = await linkMailedTo(victim, "/reset");
  await go(reader, link);
  await submit(reader, "/reset", { password: "short" });
  await go(reader, link);
  await submit(reader, "/reset", { password: newPassword });
  await enterPassword(reader, victim, newPassword);
  assert.equal(pathOf(reader), "/account");
  const withToken = reader.requested.filter((url) => url.includes("token="));
  assert.ok(withToken.length > 0);
  for (const url of withToken) assert.equal(url, input.origin + link); // only the link of the mail itself
  assert.ok(referers.includes(`${input.origin}/`));
  for (const referer of referers) assert.ok(referer === undefined || referer === `${input.origin}/`, referer);

  // Nor does a page that the user opens next learn the address.
  let referer = "none";
  server.once("request", (request) => (referer = request.headers.referer));
  await go(reader, link);
  await reader.evaluate((url) => location.assign(url), evilUrl("evil.localhost"));
  await reader.waitForURL(evilUrl("evil.localhost"));
  assert.equal(referer, `${input.origin}/`);
  await reader.context().close();
}

// --- scripts in values -----------------------------------------------------------------------------------------------------------

{
  const script = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>{{csrf}}[[email]]`;
  const reader = await open("/login");
  await addAuthenticator(reader);
  for (const path of ["/login", "/register", "/reset", "/enroll", "/account/confirm"])
    for (const name of ["notice", "next", "ui_locales", "method", "email", "cursor"])
      await go(reader, `${path}?${name}=${encodeURIComponent(script)}`);
  for (const path of ["/reset", "/invite", "/confirm-email"]) {
    await go(reader, `${path}?token=${encodeURIComponent(script)}`);
    assert.equal(await reader.locator('[name="token"]').inputValue(), script);
  }
  await go(reader, "/login");
  await reader.evaluate("for (const input of document.querySelectorAll('input')) input.type = 'text'");
  await submit(reader, "/login", { email: script, password });
  assert.equal(await reader.inputValue("#email"), script);
  await register(reader);
  await go(reader, "/enroll/passkey");
  await submit(reader, "/enroll/passkey", { name: script });
  await leaveCodes(reader);
  assert.ok((await textOf(reader)).includes(script.slice(0, 100))); // as long as the field allows
  assert.ok(!(await reader.title()).includes("owned"));
  assert.deepEqual(reader.complaints, []); // no script was even blocked
  await reader.context().close();
}

// --- the way back after signing out ----------------------------------------------------------------------------------------------

{
  const reader = await open("/login");
  const email = await register(reader);
  await signOut(reader);
  await reader.goBack();
  assert.ok(!(await textOf(reader)).includes(email));
  await close(reader);
}

// --- loading ---------------------------------------------------------------------------------------------------------------------

for (const path of ["/login", "/register", "/enroll"]) {
  const reader = await open("/login");
  await reader.context().clearCookies();
  const requests = [];
  reader.on("request", (request) => requests.push(request.url().replace(input.origin, "")));
  const response = await reader.goto(input.origin + path, { waitUntil: "networkidle" });
  const html = await response.text();
  // Everything but the data of passkeys is named by the page itself.
  const [own, ...more] = requests.filter((url) => url !== "data:," && url !== "/passkey/options");
  assert.equal(own, path);
  const named = [...html.matchAll(/(?:src|href)="(\/(?:pages|logo)[^"]*)"/g)].map(([, url]) => url.replaceAll("&amp;", "&"));
  assert.ok(named.length >= 2);
  assert.deepEqual(more.sort(), named.sort());
  let size = gzipSync(html).length;
  for (const url of named) size += gzipSync(await read(reader, url)).length;
  assert.ok(size <= 60 * 1024, `${path} has ${size} bytes`);
  await close(reader);
}

assert.equal(await titleOf(page), "Your account");
await browser.close();
server.close();
server.closeAllConnections();
console.log("done");
