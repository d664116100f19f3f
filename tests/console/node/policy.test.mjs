// What the page may do, and where its tokens are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { addressesOf } from "./screens.mjs";
import { fill } from "./seed.mjs";
import { closeAll, openConsole } from "./session.mjs";
import { eventually, localhostFetch, openStack } from "./stack.mjs";

const contracts = { feedback: "feedback", auth: "auth-mfa", notify: "notify", billing: "billing" };
let place, data, desk, page;
before(async () => {
  place = (await (await openStack()).newTenant(`policy-${Math.random().toString(36).slice(2, 8)}`)).production;
  data = await fill(place);
  desk = await openConsole(place.members.owner, "/console/feedback");
  page = desk.page;
});
after(closeAll);

const fetched = (url, init) => localhostFetch(new Request(url, init));
test("the policy of every address of the console permits no inline code and requires Trusted Types", async () => {
  for (const address of ["/console", "/console/callback?code=x&state=y", "/console/users/ada", "/console/a/b/c/d"]) {
    const response = await fetched(place.origin + address);
    const policy = response.headers.get("Content-Security-Policy");
    assert.equal(response.status, 200, address);
    assert.doesNotMatch(policy, /unsafe|\*|nonce-|strict-dynamic/, address);
    const directives = new Map(policy.split("; ").map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1).join(" ")]));
    assert.equal(directives.get("default-src"), "'none'");
    assert.equal(directives.get("script-src"), "'self'");
    assert.equal(directives.get("style-src"), "'self'");
    assert.equal(directives.get("require-trusted-types-for"), "'script'");
    assert.equal(directives.get("frame-ancestors"), "'none'");
    assert.equal(directives.get("base-uri"), "'none'");
    assert.equal(directives.get("connect-src"), ["'self'", ...["feedback", "notify", "billing"].map((service) => place.url(service))].join(" "));
    assert.equal(response.headers.get("X-Frame-Options"), "DENY");
    assert.equal(response.headers.get("X-Content-Type-Options"), "nosniff");
    const html = await response.text();
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
  }
});

test("the browser enforces the policy", async () => {
  const tried = await openConsole(place.members.owner, "/console/feedback");
  const evaluate = (code) => tried.page.evaluate(code);
  const complained = (pattern) => eventually(() => tried.page.complaints.some((text) => pattern.test(text)));
  await assert.rejects(evaluate("void (document.createElement('div').innerHTML = '<b>x</b>')"), /TrustedHTML/);
  await assert.rejects(evaluate("void (document.createElement('script').textContent = 'globalThis.ran = 1')"), /TrustedScript/);
  await evaluate("document.body.setAttribute('style', 'color: red')");
  await complained(/style-src/);
  for (const url of ["https://evil.example/", place.stack.url("feedback", "rival")]) {
    assert.equal(await evaluate(`fetch(${JSON.stringify(url)}).then(() => "read", () => "refused")`), "refused");
    await complained(new RegExp(`connect-src ${url}`));
  }
  assert.equal(await evaluate("globalThis.ran"), undefined);
  await tried.discard();
});

test("cookies without the access token read nothing from any route of the four services", async () => {
  let count = 0;
  for (const [service, name] of Object.entries(contracts)) {
    const contract = parse(readFileSync(path.join(process.env.SOURCE, `proto/${name}.openapi.yaml`), "utf8"));
    for (const [route, operations] of Object.entries(contract.paths))
      for (const [method, { security = contract.security }] of Object.entries(operations).filter(([, one]) => one.responses)) {
        // The other operations take no token, or are called by providers and other services.
        const isOpen = security.length === 0 || security.some((one) => Object.keys(one).length === 0);
        if (isOpen || !security.some((one) => "userToken" in one)) continue;
        const address = place.url(service) + route.replaceAll(/\{\w+\}/g, "00000000-0000-7000-8000-000000000000");
        const cookies = (await page.context().cookies(address)).map((cookie) => `${cookie.name}=${cookie.value}`).join("; ");
        const headers = { ...(cookies && { Cookie: cookies }), Origin: place.origin, "Sec-Fetch-Site": "same-origin", ...(method !== "get" && { "Content-Type": "application/json" }) };
        const { status } = await fetched(address, { method: method.toUpperCase(), headers, ...(method !== "get" && method !== "delete" && { body: "{}" }) });
        assert.equal(status, 401, `${method} ${address}`);
        count += 1;
      }
  }
  assert.ok(count > 150, `${count} operations`);
  assert.ok((await page.context().cookies(place.origin)).length > 0);
});

test("every request of the console for data carries the token", async () => {
  const bare = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/v1/") && request.method() !== "OPTIONS" && !/^Bearer .+/.test(request.headers()["authorization"] ?? "")) bare.push(request.url());
  });
  for (const [, address] of addressesOf(data, place)) await desk.open(address);
  assert.deepEqual(bare, []);
  assert.ok(page.requested.filter((url) => new URL(url).pathname.startsWith("/v1/")).length > 50);
});

test("a reload renews the token without a form, and no token leaves the memory of the page", async () => {
  await desk.open("/console/feedback");
  const requests = [];
  const note = (request) => requests.push(request);
  page.on("request", note);
  const before = desk.token;
  await page.reload();
  await desk.settled();
  page.off("request", note);
  assert.notEqual(desk.token, before);
  const navigations = requests.filter((request) => request.isNavigationRequest()).map((request) => new URL(request.url()).pathname);
  assert.deepEqual(navigations, [new URL(page.url()).pathname]);
  const renewals = requests.filter((request) => new URL(request.url()).pathname === "/oauth/authorize");
  assert.deepEqual(renewals.map((request) => new URL(request.url()).searchParams.get("prompt")), ["none"]);

  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  const session = await page.evaluate("JSON.stringify(sessionStorage)");
  const kept = JSON.stringify([cookies, origins, session, await page.evaluate("document.cookie"), page.url(), page.requested, await page.evaluate("history.state")]);
  for (const token of [before, desk.token]) for (const part of token.split(".")) assert.ok(!kept.includes(part), "a part of a token is stored");
  assert.doesNotMatch(kept, /eyJ/);
  assert.doesNotMatch(page.url(), /code=|state=/);
  for (const cookie of cookies) assert.deepEqual([cookie.httpOnly, cookie.sameSite !== "None"], [true, true], cookie.name);
  assert.deepEqual(await page.evaluate("indexedDB.databases().then((all) => all.length)"), 0);
  assert.deepEqual(await page.evaluate("caches.keys()"), []);
});

test("a page of another site cannot renew the session", async (t) => {
  const server = http.createServer((_request, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Elsewhere</title>"));
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  const foreign = await page.context().newPage();
  t.after(() => foreign.close());
  const answers = [];
  foreign.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === "/oauth/authorize") answers.push(response.headers()["location"] ?? String(response.status()));
  });
  await foreign.goto(`http://127.0.0.1:${server.address().port}/`);
  const url = new URL(`${place.origin}/oauth/authorize`);
  for (const [name, value] of Object.entries({
    client_id: "tetrad-console",
    redirect_uri: `${place.origin}/console/callback`,
    response_type: "code",
    scope: "openid",
    state: "of-the-attacker",
    nonce: "of-the-attacker",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    prompt: "none",
  }))
    url.searchParams.set(name, value);

  // Requests of scripts: the browser sends no cookie of the session, and hides the answer.
  const read = (options) => foreign.evaluate(([address, more]) => fetch(address, more).then(({ type, url: final }) => `${type} ${final}`, () => "refused"), [url.href, options]);
  assert.equal(await read({ credentials: "include" }), "refused");
  assert.equal(await read({ credentials: "include", mode: "no-cors" }), "refused");
  // A frame gets no code either.
  await foreign.evaluate((address) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
    return new Promise((done) => frame.addEventListener("load", done));
  }, url.href);
  await eventually(() => answers.length >= 2);
  for (const answer of answers) assert.doesNotMatch(answer, /[?&]code=/);
  assert.ok(answers.some((answer) => /error=login_required/.test(answer)), answers.join("\n"));

  // A link does carry the session, but the code goes to the console alone, which refuses a sign-in that it has not begun.
  const [popup] = await Promise.all([foreign.waitForEvent("popup"), foreign.evaluate((address) => void (globalThis.popup = window.open(address)), url.href)]);
  await popup.getByRole("heading", { name: "The sign-in failed" }).waitFor();
  assert.equal(await foreign.evaluate("globalThis.popup.closed"), true); // the console's window has no relation to the opener
  assert.equal(new URL(popup.url()).search, "");
  await popup.close();
});

test("files of the console are cached, and its page is not", async () => {
  const response = await fetched(`${place.origin}/console`);
  assert.equal(response.headers.get("Cache-Control"), "no-cache");
  const [, script] = /src="(\/console\/assets\/[^"]+)"/.exec(await response.text());
  assert.match((await fetched(place.origin + script)).headers.get("Cache-Control"), /immutable/);
  assert.equal((await fetched(`${place.origin}/console/config.json`)).headers.get("Cache-Control"), "no-store");
});
