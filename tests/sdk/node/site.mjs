// The running services, a web server with the pages of page/ on another origin, and Chromium.
// Environment variables: those of tests/typed, and CLIENT, the built package @tetrad/client.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Auth, Billing, Feedback, Notify } from "@tetrad/client";
import { eventually, exchanged, Services } from "./built/services.js";

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const { SOURCE, CLIENT, SCREENSHOTS } = process.env;
const pages = path.join(SOURCE, "tests/sdk/node/page");
const bundles = path.join(here, "bundles");
const { build } = createRequire(path.join(CLIENT, "package.json"))("esbuild");
const areas = { feedback: Feedback, "auth-mfa": Auth, notify: Notify, billing: Billing };

copyFileSync(path.join(SOURCE, "tests/browser/browser.mjs"), path.join(here, "browser.mjs"));
export const chromium = await import("./browser.mjs");
if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });

/** Bundles a page with this version of React: `react` and `react-dom`, or other folders of node_modules with them. */
async function bundle(name, outfile, { react = "react", dom = "react-dom", ...options } = {}) {
  const module = (folder) => path.join(here, "node_modules", folder);
  await build({
    entryPoints: [path.join(pages, `${name}.js`)],
    outfile: path.join(bundles, outfile),
    absWorkingDir: here,
    nodePaths: [module("")],
    alias: { react: module(react), "react-dom": module(dom) },
    define: { "process.env.NODE_ENV": '"development"' },
    bundle: true,
    format: "esm",
    logLevel: "error",
    ...options,
  });
}

const versions = { 18: { react: "react18", dom: "react-dom18" }, 19: {} };

export class Site {
  services = new Services();
  /** Origin of the pages. The host is also the relying party of passkeys. */
  origin = "";
  /** An origin that the tenant does not allow. */
  foreign = "";
  urls = {};
  #server = http.createServer((request, response) => this.#answer(request, response));
  #users = 0;

  async start() {
    await new Promise((listening) => this.#server.listen(0, "127.0.0.1", listening));
    const { port } = this.#server.address();
    this.origin = `http://notes.localhost:${port}`;
    this.foreign = `http://other.localhost:${port}`;
    await Promise.all([
      ...["calls", "session", "widget"].map((name) => bundle(name, `${name}.js`)),
      ...Object.entries(versions).map(([version, modules]) => bundle("react", `react${version}.js`, modules)),
      ...Object.entries(versions).map(([version, modules]) =>
        bundle("server", `server${version}.cjs`, { ...modules, platform: "node", format: "cjs" }),
      ),
      this.services.launch(() => ({})),
    ]);
    this.urls = Object.fromEntries(Object.keys(areas).map((name) => [name, this.services.base(name)]));
    await this.#configure();
  }

  async stop() {
    await chromium.browser.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.services.stop();
  }

  /** A client in this process. Its traffic is checked against the contract. */
  client(name, apiKey = this.services.env.MASTER_KEY) {
    return new areas[name]({ baseUrl: this.urls[name], fetch: this.services.fetchOf(name), ...(apiKey && { apiKey }) });
  }

  /** A new user: `{credentials, userId, token}`. */
  async newUser() {
    const credentials = { email: `user-${++this.#users}@example.com`, password: "a violet teapot" };
    const { user, accessToken } = await this.client("auth-mfa", null).register(credentials);
    return { credentials, userId: user.userId, token: accessToken };
  }

  /** A public thread of the board. */
  async newThread(title, body = "Please.", more = {}) {
    const feedback = this.client("feedback");
    const { feedbackId } = await feedback.createFeedback({ category: "feature", title, body, ...more });
    return feedback.updateFeedback(feedbackId, { visibility: "public" });
  }

  /** A page of the site in a new context. */
  async open(address, options = {}) {
    const page = await chromium.newPage({ ...chromium.desktop, extraHTTPHeaders: {}, ...options });
    await page.goto(this.origin + address);
    return page;
  }

  /** The markup of the app, as a server with this version of React makes it. */
  markup(version) {
    return require(path.join(bundles, `server${version}.cjs`)).html();
  }

  /** Allows the origin of the pages in all services, and turns the board on. */
  async #configure() {
    const allowedOrigins = [this.origin];
    await this.client("feedback").updateSettings({ allowedOrigins, publicBoard: true, publicByDefault: true });
    await this.client("auth-mfa").updateSettings({ allowedOrigins, passkeyRpId: new URL(this.origin).hostname });
    await this.client("notify").updateSettings({ allowedOrigins });
    await this.client("notify").putPlatform("webpush", { subject: "mailto:push@example.com" });
    await this.client("billing").updateSettings({ allowedOrigins });
    // The services keep settings for some seconds.
    const headers = new Headers({ Authorization: `Bearer ${this.services.env.MASTER_KEY}`, Origin: this.origin });
    for (const [name, base] of Object.entries(this.urls))
      await eventually(async () => {
        const answer = await exchanged("GET", new URL("/v1/settings", base), headers, Buffer.alloc(0));
        return answer.headers.get("access-control-allow-origin") === this.origin || undefined;
      });
    await eventually(
      async () =>
        (await exchanged("GET", new URL("/board/threads", this.urls.feedback), new Headers(), Buffer.alloc(0))).status === 200 || undefined,
    );
  }

  #answer({ url }, response) {
    const { pathname, searchParams } = new URL(url, "http://notes.localhost");
    const [, name, kind] = /^\/(\w+)\.(html|js|css)$/.exec(pathname) ?? [];
    if (kind === "js")
      return response.writeHead(200, { "Content-Type": "text/javascript" }).end(readFileSync(path.join(bundles, `${name}.js`)));
    if (kind === "css") return response.writeHead(200, { "Content-Type": "text/css" }).end(readFileSync(path.join(pages, `${name}.css`)));
    if (kind !== "html") return response.writeHead(404).end();
    const root = name.startsWith("react") ? `<div id="root">${this.markup(Number(name.slice(5)))}</div>` : "<main><h1>Notes</h1></main>";
    const lang = searchParams.get("lang") ?? "en";
    const html = `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Notes</title><link rel="stylesheet" href="page.css"><body>${root}<script type="module" src="${name}.js"></script></body></html>`;
    const csp = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src ${Object.values(this.urls).join(" ")}; require-trusted-types-for 'script'`;
    return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": csp }).end(html);
  }
}

/** Waits until the expression, which is evaluated in the page, is true. `waitForFunction` would need `unsafe-eval` in the page. */
export const until = (page, expression) => eventually(async () => (await page.evaluate(expression)) || undefined);

/** Holds all requests of a context to an operation until `release` is called. */
export async function hold(context, glob) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await context.route(glob, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Counts the requests of a context to an operation. */
export function counted(context, method, suffix) {
  const found = [];
  context.on("request", (request) => {
    if (request.method() === method && new URL(request.url()).pathname.endsWith(suffix)) found.push(request.url());
  });
  return found;
}

/** No script failed, nothing was refused by the Content Security Policy, and only the expected hosts were called. */
export function assertClean(page, site, isExpected = () => false) {
  assert.deepEqual(
    page.complaints.filter((text) => !isExpected(text)),
    [],
  );
  const hosts = [site.origin, ...Object.values(site.urls)];
  assert.deepEqual(
    page.requested.filter((url) => url !== "data:," && !hosts.some((host) => url.startsWith(`${host}/`))),
    [],
  );
}
